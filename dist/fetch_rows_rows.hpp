#pragma once

#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "dist/fetch_rows_steps.hpp"

/// The bodies of dist/fetch_rows_steps.hpp, written once for both memory spaces: parallel_for is that of the context.
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

template <class T, MemorySpace S>
void append_rows(Context<S>& ctx, Index count, Span<const Index, S> rows, const Piece<T>& piece, Span<Offset, S> next,
                 GlobalRows<T, S>& whole) {
  const Index* const row_of = rows.empty() ? nullptr : rows.data();
  Offset* const next_of = next.data();
  std::int64_t* const columns = whole.col_indices.data();
  T* const values = whole.values.data();
  parallel_for(ctx, count, [piece, row_of, next_of, columns, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    Offset& place = next_of[row_of == nullptr ? i : row_of[i]];
    for (Offset k = piece.offsets[i]; k < piece.offsets[i + 1]; ++k, ++place) {
      columns[place] = piece.columns[k];
      values[place] = piece.values[k];
    }
  });
}

#define AMGSOLVE_INSTANTIATE_FOR_VALUES(T, S)                                                           \
  template void append_rows(Context<S>&, Index, Span<const Index, S>, const Piece<T>&, Span<Offset, S>, \
                            GlobalRows<T, S>&);
#define AMGSOLVE_INSTANTIATE_FETCH_STEPS(S)                                                             \
  template void count_row_entries(Context<S>&, Span<const Offset, S>, Span<Offset, S>);                 \
  template void add_lengths(Context<S>&, Span<const Index, S>, Span<const Offset, S>, Span<Offset, S>); \
  AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_FOR_VALUES, S)

}  // namespace amgsolve::detail
