#pragma once

#include "core/host_device.hpp"
#include "dist/fetch_rows_steps.hpp"

/// The loops of dist/fetch_rows_steps.hpp that go row by row, written once for both memory spaces: parallel_for is that
/// of the context.
namespace amgsolve::detail {

template <MemorySpace S>
void count_row_entries(Context<S>& ctx, Span<const Offset, S> row_offsets, Span<Offset, S> counts) {
  const Offset* const offsets = row_offsets.data();
  Offset* const count = counts.data();
  parallel_for(
      ctx, static_cast<std::int64_t>(counts.size()),
      [offsets, count] AMGSOLVE_HOST_DEVICE(std::int64_t i) { count[i] = offsets[i + 1] - offsets[i]; }, 1);
}

template <MemorySpace S>
void add_lengths(Context<S>& ctx, Span<const Index, S> rows, Span<const Offset, S> lengths, Span<Offset, S> counts) {
  const Index* const row = rows.data();
  const Offset* const length = lengths.data();
  Offset* const count = counts.data();
  parallel_for(ctx, static_cast<std::int64_t>(rows.size()),
               [row, length, count] AMGSOLVE_HOST_DEVICE(std::int64_t i) { count[row[i]] += length[i]; });
}

#define AMGSOLVE_INSTANTIATE_FETCH_STEPS(S)                                             \
  template void count_row_entries(Context<S>&, Span<const Offset, S>, Span<Offset, S>); \
  template void add_lengths(Context<S>&, Span<const Index, S>, Span<const Offset, S>, Span<Offset, S>);

}  // namespace amgsolve::detail
