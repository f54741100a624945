#include "core/atomic_cuda.cuh"
#include "core/copy.hpp"
#include "core/parallel_cuda.cuh"
#include "spgemm/rows/row_bins_cuda.hpp"
#include "spgemm/rows/tuning.hpp"

namespace amgsolve {
namespace {

constexpr int bins = static_cast<int>(RowBins::lists);

constexpr int rows_per_block = default_block * binned_rows_per_thread;

struct Limits {
  Offset of_bin[bins];
};

__device__ int bin_of(Offset size, const Limits& limits) {
  if (size == 0) {
    return bins;
  }
  int bin = 0;
  while (bin < bins && size > limits.of_bin[bin]) {
    ++bin;
  }
  return bin;
}

/// A block takes consecutive rows, so that the lists follow the order of the rows but for the order of the blocks. Each
/// row takes a position among those of its bin in the block, then the block one range of each list.
__global__ void fill_bins_kernel(Index rows, const Offset* sizes, Limits limits, Index* rows_of_lists, Offset* lengths,
                                 Offset* total) {
  __shared__ int counts[bins];
  __shared__ Offset begins[bins];
  if (threadIdx.x < bins) {
    counts[threadIdx.x] = 0;
  }
  __syncthreads();
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * rows_per_block + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  int bin[binned_rows_per_thread];
  int position[binned_rows_per_thread];
  Offset sum = 0;
#pragma unroll
  for (int i = 0; i < binned_rows_per_thread; ++i) {
    const std::int64_t row = first + i * default_block;
    const Offset size = row < rows ? sizes[row] : 0;
    sum += size;
    bin[i] = bin_of(size, limits);
    position[i] = 0;
    for (int b = 0; b < bins; ++b) {
      const unsigned same = __ballot_sync(all_lanes, bin[i] == b);
      if (same != 0) {
        int begin = lane == 0 ? atomicAdd(&counts[b], __popc(same)) : 0;
        begin = __shfl_sync(all_lanes, begin, 0);
        if (bin[i] == b) {
          position[i] = begin + __popc(same & ((1U << lane) - 1));
        }
      }
    }
  }
  sum = sum_block<default_block>(sum);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomic_add(total, sum);
  }
  if (threadIdx.x < bins) {
    begins[threadIdx.x] = atomic_add(lengths + threadIdx.x, counts[threadIdx.x]);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < binned_rows_per_thread; ++i) {
    if (bin[i] < bins) {
      rows_of_lists[static_cast<Offset>(bin[i]) * rows + begins[bin[i]] + position[i]] =
          static_cast<Index>(first + i * default_block);
    }
  }
}

}  // namespace

void fill_bins(Context<Cuda>& ctx, Span<const Offset, Cuda> sizes, const std::array<Offset, RowBins::lists>& limits,
               const RowBins& lists) {
  Limits of_kernel;
  for (std::size_t b = 0; b < RowBins::lists; ++b) {
    of_kernel.of_bin[b] = limits[b];
  }
  set_zero(ctx, lists.lengths);
  const std::int64_t blocks = (std::int64_t{lists.rows} + rows_per_block - 1) / rows_per_block;
  launch(ctx, fill_bins_kernel, Grid{blocks, default_block}, lists.rows, sizes.data(), of_kernel,
         lists.rows_of_lists.data(), lists.lengths.data(), lists.length(RowBins::lists));
}

}  // namespace amgsolve
