#pragma once

#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/transpose_steps.hpp"

/// The bodies of transpose() and of its plan's steps, written once for both memory spaces: parallel_for is that of the
/// context, and so is
///
///     sort_by_column(ctx, A, row_offsets, write)
///
/// which finds the row offsets of Aᵀ and calls write(position, row, k) for every entry k of A, with its row and with
/// its position in Aᵀ.
namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> transpose(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  CsrMatrix<T, S> At(ctx, A.cols, A.rows, A.nnz());
  const T* const values = A.values.data();
  Index* const columns_out = At.col_indices.data();
  T* const values_out = At.values.data();
  sort_by_column(ctx, A, At.row_offsets.span(),
                 [values, columns_out, values_out] AMGSOLVE_HOST_DEVICE(Offset position, Index row, Offset k) {
                   columns_out[position] = row;
                   values_out[position] = values[k];
                 });
  return At;
}

template <class T, MemorySpace S>
void detail::find_transpose(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<Offset, S> row_offsets,
                            Span<Index, S> col_indices, Span<Index, S> places) {
  const Offset* const offsets = A.row_offsets.data();
  Index* const columns_out = col_indices.data();
  Index* const places_out = places.data();
  sort_by_column(ctx, A, row_offsets,
                 [offsets, columns_out, places_out] AMGSOLVE_HOST_DEVICE(Offset position, Index row, Offset k) {
                   columns_out[position] = row;
                   places_out[position] = static_cast<Index>(k - offsets[row]);
                 });
}

template <class T, MemorySpace S>
void detail::gather_values(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const Index, S>> rows,
                           std::type_identity_t<Span<const Index, S>> places, Span<T, S> values) {
  const Offset* const offsets = A.row_offsets.data();
  const T* const from = A.values.data();
  const Index* const row_of = rows.data();
  const Index* const place_of = places.data();
  T* const to = values.data();
  // Neighbours write neighbouring values, and read rows of A that ascend.
  parallel_for(
      ctx, static_cast<std::int64_t>(values.size()),
      [offsets, from, row_of, place_of, to] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
        to[k] = from[offsets[row_of[k]] + place_of[k]];
      },
      1);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                     \
  template CsrMatrix<T, S> transpose(Context<S>&, const CsrMatrix<T, S>&);                                             \
  template void detail::find_transpose(Context<S>&, const CsrMatrix<T, S>&, Span<Offset, S>, Span<Index, S>,           \
                                       Span<Index, S>);                                                                \
  template void detail::gather_values(Context<S>&, const CsrMatrix<T, S>&, Span<const Index, S>, Span<const Index, S>, \
                                      Span<T, S>);

}  // namespace amgsolve
