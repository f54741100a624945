#include "amg/density_steps.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {

void count_sampled_rows(Context<Cuda>& ctx, Span<const Offset, Cuda> row_offsets, const RowSample& sample,
                        Span<Offset, Cuda> counts) {
  const Offset* offsets = row_offsets.data();
  Offset* lengths = counts.data();
  parallel_for(ctx, sample.count, [=] __device__(std::int64_t s) {
    const std::int64_t row = sample.row(s);
    lengths[s] = offsets[row + 1] - offsets[row];
  });
}

template <class T>
void copy_sampled_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const RowSample& sample,
                       CsrMatrix<T, Cuda>& result) {
  const Offset* row_offsets = A.row_offsets.data();
  const Index* cols = A.col_indices.data();
  const T* values = A.values.data();
  const Offset* places = result.row_offsets.data();
  Index* result_cols = result.col_indices.data();
  T* result_values = result.values.data();
  parallel_rows(ctx, sample.count, [=] __device__(RowLanes lanes, std::int64_t s) {
    const std::int64_t row = sample.row(s);
    const Offset begin = row_offsets[row];
    for (Offset k = lanes.thread_rank(); k < row_offsets[row + 1] - begin; k += row_lanes) {
      result_cols[places[s] + k] = cols[begin + k];
      result_values[places[s] + k] = values[begin + k];
    }
  });
}

template void copy_sampled_rows(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const RowSample&,
                                CsrMatrix<float, Cuda>&);
template void copy_sampled_rows(Context<Cuda>&, const CsrMatrix<double, Cuda>&, const RowSample&,
                                CsrMatrix<double, Cuda>&);

}  // namespace amgsolve
