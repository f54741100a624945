#pragma once

#include <cstdint>

#include "core/context.hpp"
#include "core/workspace.hpp"

namespace amgsolve {

/// Pairs of numbers without sign to be sorted, with as much scratch: what sort_pairs() does, for 32 bits at half of its
/// bytes, and without copying what ends up in the scratch.
template <class Word>
class RadixPairs {
 public:
  /// Room for n pairs until the scope ends.
  RadixPairs(WorkspaceScope<Cuda>& scope, std::size_t n)
      : keys_(scope.take<Word>(n)),
        values_(scope.take<Word>(n)),
        other_keys_(scope.take<Word>(n)),
        other_values_(scope.take<Word>(n)) {}

  Word* keys() const { return keys_.data(); }
  Word* values() const { return values_.data(); }

  /// Stable; only the low `bits` of the keys may be set. keys() and values() may lie elsewhere afterwards.
  /// Asynchronous. O(n · bits / 8).
  void sort(Context<Cuda>& ctx, int bits);

 private:
  Span<Word, Cuda> keys_;
  Span<Word, Cuda> values_;
  Span<Word, Cuda> other_keys_;
  Span<Word, Cuda> other_values_;
};

}  // namespace amgsolve
