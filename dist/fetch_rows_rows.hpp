#pragma once

#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "dist/fetch_rows_steps.hpp"

/// The loops of dist/fetch_rows_steps.hpp, written once for both memory spaces: parallel_for and parallel_entries(ctx,
/// rows, entries, row_offsets, body(row, entry)) are those of the context.
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

template <MemorySpace S>
void add_row_lengths(Context<S>& ctx, Span<const Offset, S> row_offsets, Span<Offset, S> sums) {
  const Offset* const offsets = row_offsets.data();
  Offset* const sum = sums.data();
  parallel_for(
      ctx, static_cast<std::int64_t>(sums.size()),
      [offsets, sum] AMGSOLVE_HOST_DEVICE(std::int64_t i) { sum[i] += offsets[i + 1] - offsets[i]; }, 1);
}

template <class T, MemorySpace S>
void append_rows(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> rows, const Piece<T>& piece,
                 Span<Offset, S> next_of_rows, CsrMatrix<T, S>& whole) {
  const auto count = static_cast<std::int64_t>(rows.size());
  const Index* const row_of = rows.data();
  Offset* const next = next_of_rows.data();
  Index* const columns = whole.col_indices.data();
  T* const values = whole.values.data();
  parallel_entries(ctx, count, piece.entries, piece.offsets, [=] AMGSOLVE_HOST_DEVICE(std::int64_t i, Offset entry) {
    const Offset place = next[row_of[i]] + (entry - piece.offsets[i]);
    columns[place] = piece.columns[entry];
    values[place] = piece.values[entry];
  });
  parallel_for(ctx, count, [=] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    next[row_of[i]] += piece.offsets[i + 1] - piece.offsets[i];
  });
}

#define AMGSOLVE_INSTANTIATE_APPENDING(T, S) \
  template void append_rows(Context<S>&, Span<const Index, S>, const Piece<T>&, Span<Offset, S>, CsrMatrix<T, S>&);
#define AMGSOLVE_INSTANTIATE_FETCH_STEPS(S)                                             \
  AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_APPENDING, S)                                \
  template void count_row_entries(Context<S>&, Span<const Offset, S>, Span<Offset, S>); \
  template void add_row_lengths(Context<S>&, Span<const Offset, S>, Span<Offset, S>);   \
  template void add_lengths(Context<S>&, Span<const Index, S>, Span<const Offset, S>, Span<Offset, S>);

}  // namespace amgsolve::detail
