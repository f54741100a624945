#pragma once

#include <algorithm>
#include <utility>

#include "core/algorithms.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {

/// Stable counting sort of items by a key in [0, keys). Every chunk of the items counts and places its own, so the
/// scratch memory is chunks · keys offsets; at most `items` of them, which keeps it below the size of a matrix however
/// many threads there are.
/// @param visit    visit(chunk, chunks, sink) calls sink(key, item...) for the items of a chunk, in order
/// @param place    place(position, item...) stores an item
/// @param offsets  keys + 1 entries: receives where each key's items begin
template <class Visit, class Place>
void counting_sort(Context<Host>& ctx, Offset items, Index keys, Span<Offset, Host> offsets, const Visit& visit,
                   const Place& place) {
  const std::int64_t chunks =
      is_shared(ctx, items, 1) ? std::clamp<std::int64_t>(items / std::max(keys, Index{1}), 1, ctx.threads()) : 1;
  const auto width = static_cast<std::size_t>(keys);
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto next = scope.take<Offset>(checked_multiply(static_cast<std::size_t>(chunks), width, "counting sort"));
  const auto next_of = [&](std::int64_t chunk) { return next.data() + static_cast<std::size_t>(chunk) * width; };
  const auto for_chunks = [&](const auto& body) { parallel_for(ctx, chunks, body, least_shared_work); };

  for_chunks([&](std::int64_t chunk) {
    Offset* counts = next_of(chunk);
    std::fill_n(counts, width, Offset{0});
    visit(chunk, chunks, [counts](Index key, auto...) { ++counts[key]; });
  });
  parallel_for(ctx, keys, [&](std::int64_t key) {
    Offset count = 0;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      count += std::exchange(next_of(chunk)[key], count);
    }
    offsets.data()[key + 1] = count;
  });
  counts_to_offsets(ctx, offsets);
  for_chunks([&](std::int64_t chunk) {
    Offset* positions = next_of(chunk);
    const Offset* begin = offsets.data();
    visit(chunk, chunks, [&](Index key, auto... item) { place(begin[key] + positions[key]++, item...); });
  });
}

}  // namespace amgsolve
