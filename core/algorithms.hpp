#pragma once

#include <type_traits>

#include "core/context.hpp"
#include "core/copy.hpp"
#include "core/workspace.hpp"

/// Primitive algorithms that the sparse operations stand on. All of them are deterministic: the result does not depend
/// on the number of threads. On a device they are asynchronous, except where they return a scalar.
namespace amgsolve {

/// Row offsets from row counts, in place: on entry offsets[i + 1] is the count of row i, on return offsets[0] = 0 and
/// offsets[i + 1] = Σ_{k ≤ i} count_k. Returns the total offsets[n] (synchronises). O(n).
Offset counts_to_offsets(Context<Host>& ctx, Span<Offset, Host> offsets);
Offset counts_to_offsets(Context<Cuda>& ctx, Span<Offset, Cuda> offsets);

/// The same for a total that is known or not needed, which spares a device's host the wait for it.
void accumulate_counts(Context<Host>& ctx, Span<Offset, Host> offsets);
void accumulate_counts(Context<Cuda>& ctx, Span<Offset, Cuda> offsets);

/// wide_i = narrow_i. Throws std::invalid_argument naming both sizes where they do not match.
void widen(Context<Host>& ctx, Span<const Index, Host> narrow, Span<Offset, Host> wide);
void widen(Context<Cuda>& ctx, Span<const Index, Cuda> narrow, Span<Offset, Cuda> wide);

struct SumAndMax {
  Offset sum;
  Index max;
};

/// Σ x_i, and the largest of x_i and `lowest`. Synchronises. O(n).
SumAndMax sum_and_max(Context<Host>& ctx, Span<const Index, Host> x, Index lowest = 0);
SumAndMax sum_and_max(Context<Cuda>& ctx, Span<const Index, Cuda> x, Index lowest = 0);

/// Stable sort of (key, value) pairs, or, without values, of keys; only their low `bits` may be set. O(n · bits / 8).
void sort_pairs(Context<Host>& ctx, Span<std::uint64_t, Host> keys, Span<Offset, Host> values, int bits);
void sort_pairs(Context<Cuda>& ctx, Span<std::uint64_t, Cuda> keys, Span<Offset, Cuda> values, int bits);

/// The indices i with flags[i] != 0, ascending, into `selected` (room for all of them), and how many into count[0].
void select_flagged(Context<Host>& ctx, Span<const std::uint8_t, Host> flags, Span<Index, Host> selected,
                    Span<Offset, Host> count);
void select_flagged(Context<Cuda>& ctx, Span<const std::uint8_t, Cuda> flags, Span<Index, Cuda> selected,
                    Span<Offset, Cuda> count);

/// The same. Returns how many (synchronises).
template <MemorySpace S>
Offset select_flagged(Context<S>& ctx, std::type_identity_t<Span<const std::uint8_t, S>> flags,
                      std::type_identity_t<Span<Index, S>> selected) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto count = scope.template take<Offset>(1);
  select_flagged(ctx, flags, selected, count);
  return element<Offset>(ctx, count, 0);
}

}  // namespace amgsolve
