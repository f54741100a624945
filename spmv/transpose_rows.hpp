#pragma once

#include <memory>
#include <utility>

#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/transpose_parts.hpp"
#include "spmv/transpose_steps.hpp"

/// The bodies of transpose(), of TransposeInParts and of the steps of a plan, written once for both memory spaces:
/// parallel_for is that of the context, and so is
///
///     EntriesByColumn<T, S> entries(ctx, A, row_offsets)
///
/// which finds the row offsets of Aᵀ, and whose for_all(ctx, write) calls write(position, row of Aᵀ, row of A, k) for
/// every entry k of A, with its position in Aᵀ; for_rows(ctx, rows, write) for those of some rows of Aᵀ, and
/// for_other_rows() for all others. No row may be asked for twice. Both A and row_offsets must outlive it.
namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> transpose(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  CsrMatrix<T, S> At(ctx, A.cols, A.rows, A.nnz());
  const T* const values = A.values.data();
  Index* const columns_out = At.col_indices.data();
  T* const values_out = At.values.data();
  EntriesByColumn<T, S>(ctx, A, At.row_offsets.span())
      .for_all(ctx,
               [values, columns_out, values_out] AMGSOLVE_HOST_DEVICE(Offset position, Index, Index row, Offset k) {
                 columns_out[position] = row;
                 values_out[position] = values[k];
               });
  return At;
}

template <class T, MemorySpace S>
struct TransposeInParts<T, S>::Order {
  Order(Context<S>& ctx, const CsrMatrix<T, S>& A)
      : row_offsets(ctx, static_cast<std::size_t>(A.cols) + 1),
        values(A.values.data()),
        nnz(A.nnz()),
        entries(ctx, A, row_offsets.span()) {}

  Buffer<Offset, S> row_offsets;
  const T* values;
  Offset nnz;
  EntriesByColumn<T, S> entries;
};

template <class T, MemorySpace S>
TransposeInParts<T, S>::TransposeInParts(Context<S>& ctx, const CsrMatrix<T, S>& A)
    : order_(std::make_unique<Order>(ctx, A)) {}

template <class T, MemorySpace S>
TransposeInParts<T, S>::~TransposeInParts() = default;

template <class T, MemorySpace S>
Span<const Offset, S> TransposeInParts<T, S>::row_offsets() const {
  return std::as_const(order_->row_offsets).span();
}

template <class T, MemorySpace S>
Offset TransposeInParts<T, S>::nnz() const {
  return order_->nnz;
}

namespace detail {

/// Writes an entry of Aᵀ to a place found by its position and its row.
template <class T, class PlaceOf>
struct WriteTransposed {
  const T* values;
  Index* columns_out;
  T* values_out;
  Index first_column;
  PlaceOf place_of;

  AMGSOLVE_HOST_DEVICE void operator()(Offset position, Index transposed_row, Index row, Offset k) const {
    const Offset place = place_of(position, transposed_row);
    columns_out[place] = first_column + row;
    values_out[place] = values[k];
  }
};

/// From a position on they follow one another, without the rows that lie between.
struct PlaceBehind {
  Offset begin;  ///< of what is not there
  Offset size;
  Offset shift;

  AMGSOLVE_HOST_DEVICE Offset operator()(Offset position, Index) const {
    return position + shift - (position < begin ? 0 : size);
  }
};

struct PlaceInRow {
  const Offset* row_offsets;  ///< of Aᵀ
  const Offset* begins;       ///< of the rows from `first` on
  Index first;

  AMGSOLVE_HOST_DEVICE Offset operator()(Offset position, Index row) const {
    return begins[row - first] + (position - row_offsets[row]);
  }
};

template <class T, class Target, class PlaceOf>
WriteTransposed<T, PlaceOf> writing(const T* values, const Target& target, const PlaceOf& place_of) {
  return {values, target.columns.data(), target.values.data(), target.first_column, place_of};
}

}  // namespace detail

template <class T, MemorySpace S>
void TransposeInParts<T, S>::write(Context<S>& ctx, const TransposedRows& rows, Offset begin, const Target& target) {
  order_->entries.for_rows(
      ctx, rows, detail::writing(order_->values, target, detail::PlaceBehind{rows.begin, 0, begin - rows.begin}));
}

template <class T, MemorySpace S>
void TransposeInParts<T, S>::write(Context<S>& ctx, const TransposedRows& rows, Span<const Offset, S> begins,
                                   const Target& target) {
  order_->entries.for_rows(
      ctx, rows,
      detail::writing(order_->values, target, detail::PlaceInRow{row_offsets().data(), begins.data(), rows.first}));
}

template <class T, MemorySpace S>
void TransposeInParts<T, S>::write_others(Context<S>& ctx, const TransposedRows& rows, const Target& target) {
  order_->entries.for_other_rows(
      ctx, rows, detail::writing(order_->values, target, detail::PlaceBehind{rows.begin, rows.stop - rows.begin, 0}));
}

template <class T, MemorySpace S>
void detail::find_transpose(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<Offset, S> row_offsets,
                            Span<Index, S> col_indices, Span<Index, S> places) {
  const Offset* const offsets = A.row_offsets.data();
  Index* const columns_out = col_indices.data();
  Index* const places_out = places.data();
  EntriesByColumn<T, S>(ctx, A, row_offsets)
      .for_all(ctx,
               [offsets, columns_out, places_out] AMGSOLVE_HOST_DEVICE(Offset position, Index, Index row, Offset k) {
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
  template class TransposeInParts<T, S>;                                                                               \
  template void detail::find_transpose(Context<S>&, const CsrMatrix<T, S>&, Span<Offset, S>, Span<Index, S>,           \
                                       Span<Index, S>);                                                                \
  template void detail::gather_values(Context<S>&, const CsrMatrix<T, S>&, Span<const Index, S>, Span<const Index, S>, \
                                      Span<T, S>);

}  // namespace amgsolve
