#pragma once

#include <algorithm>
#include <utility>

#include "core/algorithms.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {

/// Stable counting sort of items by a key in [0, keys). Every chunk of the items counts and places its own, so the
/// scratch memory is chunks · keys offsets; at most `items` of them, which keeps it below the size of a matrix however
/// many threads there are.
/// @tparam Visit  visit(chunk, chunks, sink) calls sink(key, item...) for the items of a chunk, in order
template <class Visit>
class CountingSort {
 public:
  /// Counts the items.
  /// @param offsets  keys + 1 entries: receives where each key's items begin; outlives this
  CountingSort(Context<Host>& ctx, Offset items, Index keys, Span<Offset, Host> offsets, Visit visit)
      : scope_(ctx.workspace()),
        chunks_(is_shared(ctx, items, 1) ? std::clamp<std::int64_t>(items / std::max(keys, Index{1}), 1, ctx.threads())
                                         : 1),
        keys_(keys),
        next_(scope_.take<Offset>(
            checked_multiply(static_cast<std::size_t>(chunks_), static_cast<std::size_t>(keys), "counting sort"))),
        offsets_(offsets),
        visit_(std::move(visit)) {
    for_chunks(ctx, [&](std::int64_t chunk) {
      Offset* counts = next_of(chunk);
      std::fill_n(counts, keys_, Offset{0});
      visit_(chunk, chunks_, [counts](Index key, auto...) { ++counts[key]; });
    });
    parallel_for(ctx, keys, [&](std::int64_t key) {
      Offset count = 0;
      for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) {
        count += std::exchange(next_of(chunk)[key], count);
      }
      offsets_.data()[key + 1] = count;
    });
    counts_to_offsets(ctx, offsets);
  }

  /// Calls place(position, key, item...) for every item of the keys wanted. No key may be wanted twice.
  /// @param is_wanted  of a key
  template <class IsWanted, class Place>
  void place(Context<Host>& ctx, const IsWanted& is_wanted, const Place& place) {
    for_chunks(ctx, [&](std::int64_t chunk) {
      Offset* positions = next_of(chunk);
      const Offset* begin = offsets_.data();
      visit_(chunk, chunks_, [&](Index key, auto... item) {
        if (is_wanted(key)) {
          place(begin[key] + positions[key]++, key, item...);
        }
      });
    });
  }

 private:
  Offset* next_of(std::int64_t chunk) const { return next_.data() + chunk * keys_; }
  template <class Body>
  void for_chunks(Context<Host>& ctx, const Body& body) const {
    parallel_for(ctx, chunks_, body, least_shared_work);
  }

  WorkspaceScope<Host> scope_;
  std::int64_t chunks_;
  Index keys_;
  Span<Offset, Host> next_;
  Span<Offset, Host> offsets_;
  Visit visit_;
};

}  // namespace amgsolve
