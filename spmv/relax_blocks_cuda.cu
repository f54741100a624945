#include "core/thread_group_cuda.cuh"
#include "spmv/relax_blocks.hpp"

namespace amgsolve::detail {
namespace {

/// A warp goes through the rows of a block, its lanes read the entries of a row side by side. What a lane writes of
/// x_out, the others read after the barrier behind the row.
template <class Ref, class T>
__global__ void relax_blocks_kernel(Ref A, std::int64_t blocks, BlockRelaxation<T> relaxation) {
  const std::int64_t number = thread_index() / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  if (number >= blocks) {  // all of the warp
    return;
  }
  const Index columns = relaxation.columns;
  const RowBlock block = RowBlock::at(number, relaxation.block_rows, A.rows);
  for (Offset i = Offset{block.first} * columns + lane; i < Offset{block.end} * columns; i += warp_size) {
    relaxation.x_out[i] = relaxation.x[i];
  }
  __syncwarp();
  for (Index step = 0; step < block.end - block.first; ++step) {
    const Index row = block.row(step, relaxation.backwards);
    const auto entries = A.row(row);
    for (Index j = 0; j < columns; ++j) {
      T sum = 0;
      for (Index e = lane; e < entries.count; e += warp_size) {
        const Index l = entries.column(e);
        if (!Ref::has_padding || l != padding) {
          const T* const y = block.has(l) ? relaxation.x_out : relaxation.x;
          sum += A.values[entries.place(e)] * y[Offset{l} * columns + j];
        }
      }
      sum = sum_lanes(sum);
      if (lane == 0) {
        relaxation(row, j, sum);
      }
    }
    __syncwarp();
  }
}

}  // namespace

template <class Ref, class T>
void relax_blocks(Context<Cuda>& ctx, const Ref& A, std::int64_t, const BlockRelaxation<T>& relaxation) {
  const std::int64_t blocks = (std::int64_t{A.rows} + relaxation.block_rows - 1) / relaxation.block_rows;
  launch(ctx, relax_blocks_kernel<Ref, T>, Grid::of_lanes(blocks, warp_size), A, blocks, relaxation);
}

#define AMGSOLVE_INSTANTIATE(T, Ref) \
  template void relax_blocks(Context<Cuda>&, const Ref&, std::int64_t, const BlockRelaxation<T>&);
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::detail
