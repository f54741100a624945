#include <cstddef>

#include "core/instantiate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/counting_sort_host.hpp"
#include "spmv/parallel_rows_host.hpp"
#include "spmv/transpose_steps.hpp"

namespace amgsolve {
namespace {

/// The row offsets of Aᵀ; calls place(position, row, k) with the position in Aᵀ of entry k of A, which is in that row.
template <class T, class Place>
void sort_by_column(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<Offset, Host> row_offsets,
                    const Place& place) {
  const Offset* offsets = A.row_offsets.data();
  const Index* columns = A.col_indices.data();
  counting_sort(
      ctx, A.nnz(), A.cols, row_offsets,
      [&](std::int64_t chunk, std::int64_t chunks, const auto& sink) {
        const Index last = balanced_split(A.rows, offsets, chunk + 1, chunks);
        for (Index row = balanced_split(A.rows, offsets, chunk, chunks); row < last; ++row) {
          for (Offset k = offsets[row]; k < offsets[row + 1]; ++k) {
            sink(columns[k], row, k);
          }
        }
      },
      place);
}

}  // namespace

template <class T>
CsrMatrix<T, Host> transpose(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  CsrMatrix<T, Host> At(ctx, A.cols, A.rows, A.nnz());
  const T* values = A.values.data();
  Index* columns_out = At.col_indices.data();
  T* values_out = At.values.data();
  sort_by_column(ctx, A, At.row_offsets, [=](Offset position, Index row, Offset k) {
    columns_out[position] = row;
    values_out[position] = values[k];
  });
  return At;
}

namespace detail {

template <class T>
void find_transpose(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<Offset, Host> row_offsets,
                    Span<Index, Host> col_indices, Span<Index, Host> places) {
  const Offset* offsets = A.row_offsets.data();
  sort_by_column(ctx, A, row_offsets, [=](Offset position, Index row, Offset k) {
    col_indices.data()[position] = row;
    places.data()[position] = static_cast<Index>(k - offsets[row]);
  });
}

template <class T>
void gather_values(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const Index, Host> rows,
                   Span<const Index, Host> places, Span<T, Host> values) {
  const Offset* offsets = A.row_offsets.data();
  parallel_for(
      ctx, static_cast<std::int64_t>(values.size()),
      [&](std::int64_t k) { values.data()[k] = A.values.data()[offsets[rows.data()[k]] + places.data()[k]]; }, 1);
}

}  // namespace detail

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                     \
  template CsrMatrix<T, S> transpose(Context<S>&, const CsrMatrix<T, S>&);                                             \
  template void detail::find_transpose(Context<S>&, const CsrMatrix<T, S>&, Span<Offset, S>, Span<Index, S>,           \
                                       Span<Index, S>);                                                                \
  template void detail::gather_values(Context<S>&, const CsrMatrix<T, S>&, Span<const Index, S>, Span<const Index, S>, \
                                      Span<T, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
