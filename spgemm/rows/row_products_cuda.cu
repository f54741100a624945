#include "spgemm/rows/row_products.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {

template <class T>
void count_row_products(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                        Span<Offset, Cuda> products) {
  Offset* const sums = products.data();
  const Offset* const a_offsets = A.row_offsets.data();
  const Index* const a_cols = A.col_indices.data();
  const Offset* const b_offsets = B.row_offsets.data();
  parallel_rows(ctx, A.rows, [=] __device__(RowLanes lanes, std::int64_t row) {
    Offset sum = 0;
    for (Offset k = a_offsets[row] + lanes.thread_rank(); k < a_offsets[row + 1]; k += row_lanes) {
      sum += b_offsets[a_cols[k] + 1] - b_offsets[a_cols[k]];
    }
    sum = cooperative_groups::reduce(lanes, sum, cooperative_groups::plus<Offset>());
    if (lanes.thread_rank() == 0) {
      sums[row] = sum;
    }
  });
}

template void count_row_products(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&,
                                 Span<Offset, Cuda>);
template void count_row_products(Context<Cuda>&, const CsrMatrix<double, Cuda>&, const CsrMatrix<double, Cuda>&,
                                 Span<Offset, Cuda>);

}  // namespace amgsolve
