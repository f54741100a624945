#include "amg/diagonal_rows.hpp"
#include "core/reduce_cuda.cuh"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {

template <class T>
void invert_l1_norms(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<std::type_identity_t<T>, Cuda> inverse) {
  const Offset* row_offsets = A.row_offsets.data();
  const T* values = A.values.data();
  T* result = inverse.data();
  parallel_rows(ctx, A.rows, [=] __device__(RowLanes lanes, std::int64_t i) {
    T sum = 0;
    for (Offset k = row_offsets[i] + lanes.thread_rank(); k < row_offsets[i + 1]; k += row_lanes) {
      sum += fabs(values[k]);
    }
    sum = cooperative_groups::reduce(lanes, sum, cooperative_groups::plus<T>());
    if (lanes.thread_rank() == 0) {
      result[i] = sum > T{0} ? T{1} / sum : T{0};
    }
  });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
