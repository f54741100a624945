#include "core/algorithms.hpp"
#include "core/instantiate.hpp"
#include "core/search.hpp"
#include "spmv/conversions.hpp"
#include "spmv/index_bits.hpp"
#include "spmv/row_lanes_cuda.cuh"
#include "spmv/transpose_steps.hpp"

namespace amgsolve {
namespace {

/// The row offsets of Aᵀ; calls write(position, row, place) on the device for every entry of Aᵀ, with the row and the
/// place in that row which it has in A. Neighbouring positions on neighbouring threads.
template <class T, class Write>
void sort_by_column(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<Offset, Cuda> row_offsets,
                    const Write& write) {
  const Offset n = A.nnz();
  WorkspaceScope scope(ctx.workspace());
  const auto column_span = scope.take<std::uint64_t>(static_cast<std::size_t>(n));
  const auto source_span = scope.take<Offset>(static_cast<std::size_t>(n));
  std::uint64_t* const columns = column_span.data();
  Offset* const sources = source_span.data();
  const Offset* offsets = A.row_offsets.data();
  const Index* col_indices = A.col_indices.data();
  // A row and the place of an entry in it fit into one word of the sort, which tells both afterwards.
  constexpr int place_bits = 32;
  parallel_entries(ctx, A.rows, offsets, [=] __device__(std::int64_t row, Offset entry) {
    columns[entry] = static_cast<std::uint64_t>(col_indices[entry]);
    sources[entry] = (row << place_bits) | (entry - offsets[row]);
  });
  sort_pairs(ctx, column_span, source_span, index_bits(A.cols));

  Offset* const offsets_out = row_offsets.data();
  parallel_for(ctx, std::int64_t{A.cols} + 1, [=] __device__(std::int64_t column) {
    offsets_out[column] = lower_bound(columns, 0, n, static_cast<std::uint64_t>(column));
  });
  parallel_for(ctx, n, [=] __device__(std::int64_t i) {
    write(i, static_cast<Index>(sources[i] >> place_bits),
          static_cast<Index>(sources[i] & ((Offset{1} << place_bits) - 1)));
  });
}

}  // namespace

template <class T>
CsrMatrix<T, Cuda> transpose(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  CsrMatrix<T, Cuda> At(ctx, A.cols, A.rows, A.nnz());
  const Offset* offsets = A.row_offsets.data();
  const T* values = A.values.data();
  Index* const columns_out = At.col_indices.data();
  T* const values_out = At.values.data();
  sort_by_column(ctx, A, At.row_offsets.span(), [=] __device__(std::int64_t i, Index row, Index place) {
    columns_out[i] = row;
    values_out[i] = values[offsets[row] + place];
  });
  return At;
}

namespace detail {

template <class T>
void find_transpose(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<Offset, Cuda> row_offsets,
                    Span<Index, Cuda> col_indices, Span<Index, Cuda> places) {
  Index* const columns_out = col_indices.data();
  Index* const places_out = places.data();
  sort_by_column(ctx, A, row_offsets, [=] __device__(std::int64_t i, Index row, Index place) {
    columns_out[i] = row;
    places_out[i] = place;
  });
}

template <class T>
void gather_values(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const Index, Cuda> rows,
                   Span<const Index, Cuda> places, Span<T, Cuda> values) {
  const Offset* offsets = A.row_offsets.data();
  const T* from = A.values.data();
  const Index* row_of = rows.data();
  const Index* place_of = places.data();
  T* const to = values.data();
  // A thread an entry: neighbours write neighbouring values, and read rows of A that ascend.
  parallel_for(ctx, static_cast<std::int64_t>(values.size()),
               [=] __device__(std::int64_t k) { to[k] = from[offsets[row_of[k]] + place_of[k]]; });
}

}  // namespace detail

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                     \
  template CsrMatrix<T, S> transpose(Context<S>&, const CsrMatrix<T, S>&);                                             \
  template void detail::find_transpose(Context<S>&, const CsrMatrix<T, S>&, Span<Offset, S>, Span<Index, S>,           \
                                       Span<Index, S>);                                                                \
  template void detail::gather_values(Context<S>&, const CsrMatrix<T, S>&, Span<const Index, S>, Span<const Index, S>, \
                                      Span<T, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
