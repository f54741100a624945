#include "amg/jacobi_matrix.hpp"
#include "core/instantiate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {

template <class T>
CsrMatrix<T, Cuda> jacobi_matrix(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                 Span<const std::type_identity_t<T>, Cuda> diagonal, std::type_identity_t<T> damping,
                                 Index first_own) {
  CsrMatrix<T, Cuda> J = borrow_pattern(ctx, A);
  const Offset* row_offsets = A.row_offsets.data();
  const Index* cols = A.col_indices.data();
  const T* values = A.values.data();
  const T* d = diagonal.data();
  T* result = J.values.data();
  parallel_rows(ctx, A.rows, [=] __device__(RowLanes lanes, std::int64_t i) {
    const T scale = d[i] > T{0} ? damping / d[i] : T{0};
    for (Offset k = row_offsets[i] + lanes.thread_rank(); k < row_offsets[i + 1]; k += row_lanes) {
      result[k] = (cols[k] == first_own + i ? T{1} : T{0}) - scale * values[k];
    }
  });
  ctx.profile().add({.bytes = static_cast<std::int64_t>(A.bytes() + J.values.bytes()), .flops = 2 * A.nnz()});
  return J;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template CsrMatrix<T, S> jacobi_matrix(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, T, Index);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
