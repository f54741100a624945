#include "core/instantiate.hpp"
#include "core/parallel_cuda.cuh"
#include "spgemm/rows/row_subset_cuda.hpp"
#include "spmv/counted_rows.hpp"
#include "spmv/csr_ref.hpp"

namespace amgsolve {
namespace {

/// Copies `length` entries from position `from` of A to position `to`, by the threads of a block.
template <class T>
__device__ void copy_entries(const CsrRef<T>& A, Offset from, Offset length, Offset to, Index* col_indices, T* values) {
  for (Offset k = threadIdx.x; k < length; k += blockDim.x) {
    col_indices[to + k] = A.col_indices[from + k];
    values[to + k] = A.values[from + k];
  }
}

template <class T>
__global__ void gather_rows_kernel(CsrRef<T> A, const Index* rows, const Offset* row_offsets, Index* col_indices,
                                   T* values) {
  const Offset to = row_offsets[blockIdx.x];
  copy_entries(A, A.row_offsets[rows[blockIdx.x]], row_offsets[blockIdx.x + 1] - to, to, col_indices, values);
}

template <class T>
__global__ void scatter_rows_kernel(CsrRef<T> A, const Index* rows, const Offset* row_offsets, Index* col_indices,
                                    T* values) {
  const Offset from = A.row_offsets[blockIdx.x];
  copy_entries(A, from, A.row_offsets[blockIdx.x + 1] - from, row_offsets[rows[blockIdx.x]], col_indices, values);
}

}  // namespace

template <class T>
CsrMatrix<T, Cuda> gather_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const Index, Cuda> rows) {
  const auto n = static_cast<Index>(rows.size());
  CsrMatrix<T, Cuda> B = uncounted_matrix<T>(ctx, n, A.cols);
  parallel_for(ctx, n,
               [offsets = A.row_offsets.data(), rows = rows.data(), lengths = B.row_offsets.data() + 1] __device__(
                   std::int64_t i) { lengths[i] = offsets[rows[i] + 1] - offsets[rows[i]]; });
  allocate_entries(ctx, B);
  launch(ctx, gather_rows_kernel<T>, Grid{n, default_block}, ref_of(A), rows.data(), B.row_offsets.data(),
         B.col_indices.data(), B.values.data());
  return B;
}

template <class T>
void scatter_row_lengths(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const Index, Cuda> rows,
                         Span<Offset, Cuda> lengths) {
  parallel_for(ctx, A.rows,
               [offsets = A.row_offsets.data(), rows = rows.data(), lengths = lengths.data()] __device__(
                   std::int64_t i) { lengths[rows[i]] = offsets[i + 1] - offsets[i]; });
}

template <class T>
void scatter_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const Index, Cuda> rows,
                  CsrMatrix<T, Cuda>& B) {
  launch(ctx, scatter_rows_kernel<T>, Grid{A.rows, default_block}, ref_of(A), rows.data(), B.row_offsets.data(),
         B.col_indices.data(), B.values.data());
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                               \
  template CsrMatrix<T, S> gather_rows(Context<S>&, const CsrMatrix<T, S>&, Span<const Index, S>);               \
  template void scatter_row_lengths(Context<S>&, const CsrMatrix<T, S>&, Span<const Index, S>, Span<Offset, S>); \
  template void scatter_rows(Context<S>&, const CsrMatrix<T, S>&, Span<const Index, S>, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
