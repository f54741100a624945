#include <algorithm>

#include "core/parallel_cuda.cuh"
#include "spmv/blas1_steps.hpp"
#include "spmv/blas1_tuning_cuda.hpp"

namespace amgsolve::detail {
namespace {

using namespace tuning;

// Of a block, the most of them.
constexpr int most_threads = reduction_lanes(1);
static_assert(reduction_lanes(tile_columns) * tile_columns == most_threads);

/// How blocks of threads walk over a multivector: each over a tile of neighbouring columns of consecutive rows, lanes
/// rows at a time. A thread keeps its column, neighbouring threads read neighbouring values.
struct Walk {
  std::int64_t rows;
  Index columns;
  Index tile;
  Index tiles;
  int lanes;
  std::int64_t block_rows;
  std::int64_t first_block = 0;
  std::int64_t blocks;           ///< that are walked over
  std::int64_t rows_before = 0;  ///< of block 0, which are not there

  Walk(std::int64_t rows_, Index columns_)
      : rows(rows_),
        columns(columns_),
        tile(std::clamp(columns, Index{1}, tile_columns)),
        tiles((columns + tile - 1) / tile),
        lanes(reduction_lanes(columns)),
        block_rows(lanes * rows_per_thread),
        blocks((rows + block_rows - 1) / block_rows) {}
  Walk(std::int64_t rows_, Index columns_, const BlockRange<Cuda>& range) : Walk(rows_, columns_) {
    block_rows = reduction_block;
    first_block = range.first;
    blocks = range.last - range.first;
    rows_before = range.rows_before;
  }

  Grid grid() const { return {.blocks = blocks * tiles, .threads = lanes * tile}; }

  __device__ Index column() const { return static_cast<Index>(blockIdx.x) % tiles * tile + threadIdx.x % tile; }
  __device__ std::int64_t block() const { return first_block + blockIdx.x / tiles; }
  __device__ int lane() const { return static_cast<int>(threadIdx.x) / tile; }

  /// visit(row, i, factor) for the values of this thread.
  template <class Operation, class Visit>
  __device__ void for_own(const Operation& operation, const Visit& visit) const {
    if (column() < columns) {
      const auto factor = operation.factor(column());
      const std::int64_t block_begin = block() * block_rows - rows_before;
      const std::int64_t end = min(rows, block_begin + block_rows);
      std::int64_t row = block_begin + lane();
      row += row < 0 ? (lanes - 1 - row) / lanes * lanes : 0;
      for (; row < end; row += lanes) {
        visit(row, row * columns + column(), factor);
      }
    }
  }
};

template <class Operation>
__global__ void for_values_kernel(Walk walk, Operation operation) {
  walk.for_own(operation, operation);
}

/// @param from_previous, to_next  see BlockRange; null where it has none
template <class Operation>
__global__ void sum_values_kernel(Walk walk, Operation operation, std::int64_t all_blocks, const double* from_previous,
                                  double* to_next, double* partial) {
  __shared__ double sums[most_threads];
  const int thread = static_cast<int>(threadIdx.x);
  const bool has_column = walk.column() < walk.columns;
  const std::int64_t lane_sum = std::int64_t{walk.lane()} * walk.columns + walk.column();
  const bool goes_on = from_previous != nullptr && walk.block() == 0;
  double sum = goes_on && has_column ? from_previous[lane_sum] : 0.0;
  walk.for_own(operation, [&](std::int64_t row, std::int64_t i, auto factor) { sum += operation(row, i, factor); });
  if (to_next != nullptr && walk.block() + 1 == all_blocks) {
    if (has_column) {
      to_next[lane_sum] = sum;
    }
    sum = 0.0;
  }
  sums[thread] = sum;
  for (int distance = walk.lanes / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (thread < distance * walk.tile) {
      sums[thread] += sums[thread + distance * walk.tile];
    }
  }
  if (thread < walk.tile && has_column) {
    partial[walk.column() * all_blocks + walk.block()] = sums[thread];
  }
}

}  // namespace

template <class Operation>
void for_values(Context<Cuda>& ctx, std::int64_t rows, Index columns, const Operation& operation) {
  const Walk walk(rows, columns);
  launch(ctx, for_values_kernel<Operation>, walk.grid(), walk, operation);
}

template <class Operation>
void sum_values(Context<Cuda>& ctx, std::int64_t rows, Index columns, const Operation& operation,
                const BlockRange<Cuda>& range, Span<double, Cuda> partial) {
  const Walk walk(rows, columns, range);
  launch(ctx, sum_values_kernel<Operation>, walk.grid(), walk, operation, range.all,
         range.from_previous.empty() ? nullptr : range.from_previous.data(),
         range.to_next.empty() ? nullptr : range.to_next.data(), partial.data());
}

#define AMGSOLVE_INSTANTIATE_FOR(Operation) \
  template void for_values(Context<Cuda>&, std::int64_t, Index, const Operation&);
#define AMGSOLVE_INSTANTIATE_SUM(Operation)                                                                \
  template void sum_values(Context<Cuda>&, std::int64_t, Index, const Operation&, const BlockRange<Cuda>&, \
                           Span<double, Cuda>);

AMGSOLVE_FOR_OPERATIONS(AMGSOLVE_INSTANTIATE_FOR, float)
AMGSOLVE_FOR_OPERATIONS(AMGSOLVE_INSTANTIATE_FOR, double)
AMGSOLVE_FOR_SUMS(AMGSOLVE_INSTANTIATE_SUM, float)
AMGSOLVE_FOR_SUMS(AMGSOLVE_INSTANTIATE_SUM, double)
#undef AMGSOLVE_INSTANTIATE_SUM
#undef AMGSOLVE_INSTANTIATE_FOR

}  // namespace amgsolve::detail
