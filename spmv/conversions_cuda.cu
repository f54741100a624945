#include "core/algorithms.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_cuda.cuh"
#include "spmv/conversions.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {
template <class T>
CooMatrix<T, Cuda> csr_to_coo(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  CooMatrix<T, Cuda> B(ctx, A.rows, A.cols, A.nnz());
  Index* const row_indices = B.row_indices.data();
  parallel_entries(ctx, A.rows, A.nnz(), A.row_offsets.data(),
                   [=] __device__(std::int64_t row, Offset entry) { row_indices[entry] = static_cast<Index>(row); });
  copy(ctx, A.col_indices.span(), B.col_indices.span());
  copy(ctx, A.values.span(), B.values.span());
  return B;
}

template <class T>
CsrMatrix<T, Cuda> drop_zeros(Context<Cuda>& ctx, CsrMatrix<T, Cuda> A) {
  WorkspaceScope<Cuda> scope(ctx.workspace());
  // Where an entry will be: the number of entries kept before it.
  const auto position_span = scope.take<Offset>(static_cast<std::size_t>(A.nnz()) + 1);
  Offset* const positions = position_span.data();
  const CsrRef<T> a = ref_of(A);
  const T* values = a.values;
  parallel_for(ctx, A.nnz(), [=] __device__(std::int64_t k) { positions[k + 1] = values[k] != T{0}; });
  const Offset nnz = counts_to_offsets(ctx, position_span);
  if (nnz == A.nnz()) {
    return A;
  }
  CsrMatrix<T, Cuda> kept(ctx, A.rows, A.cols, nnz);
  const Offset* row_offsets = a.row_offsets;
  const Index* columns = a.col_indices;
  Offset* const offsets_out = kept.row_offsets.data();
  Index* const columns_out = kept.col_indices.data();
  T* const values_out = kept.values.data();
  parallel_for(ctx, std::int64_t{A.rows} + 1,
               [=] __device__(std::int64_t row) { offsets_out[row] = positions[row_offsets[row]]; });
  parallel_for(ctx, A.nnz(), [=] __device__(std::int64_t k) {
    if (values[k] != T{0}) {
      columns_out[positions[k]] = columns[k];
      values_out[positions[k]] = values[k];
    }
  });
  return kept;
}

template <class U, class T>
void detail::convert_list(Context<Cuda>& ctx, Span<const T, Cuda> from, double factor, Span<U, Cuda> to) {
  const T* const source = from.data();
  U* const target = to.data();
  parallel_for(ctx, static_cast<std::int64_t>(to.size()),
               [=] __device__(std::int64_t k) { target[k] = static_cast<U>(static_cast<double>(source[k]) * factor); });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                           \
  template CooMatrix<T, S> csr_to_coo(Context<S>&, const CsrMatrix<T, S>&);                  \
  template CsrMatrix<T, S> drop_zeros(Context<S>&, CsrMatrix<T, S>);                         \
  template void detail::convert_list(Context<S>&, Span<const T, S>, double, Span<float, S>); \
  template void detail::convert_list(Context<S>&, Span<const T, S>, double, Span<double, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
