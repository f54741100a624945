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

  Walk(std::int64_t rows_, Index columns_, bool by_reduction_blocks)
      : rows(rows_),
        columns(columns_),
        tile(std::clamp(columns, Index{1}, tile_columns)),
        tiles((columns + tile - 1) / tile),
        lanes(reduction_lanes(columns)),
        block_rows(by_reduction_blocks ? reduction_block : lanes * rows_per_thread) {}

  std::int64_t row_blocks() const { return (rows + block_rows - 1) / block_rows; }
  Grid grid() const { return {.blocks = row_blocks() * tiles, .threads = lanes * tile}; }

  __device__ Index column() const { return static_cast<Index>(blockIdx.x) % tiles * tile + threadIdx.x % tile; }
  __device__ std::int64_t block() const { return blockIdx.x / tiles; }

  /// visit(row, i, factor) for the values of this thread.
  template <class Operation, class Visit>
  __device__ void for_own(const Operation& operation, const Visit& visit) const {
    if (column() < columns) {
      const auto factor = operation.factor(column());
      const std::int64_t end = min(rows, (block() + 1) * block_rows);
      for (std::int64_t row = block() * block_rows + threadIdx.x / tile; row < end; row += lanes) {
        visit(row, row * columns + column(), factor);
      }
    }
  }
};

template <class Operation>
__global__ void for_values_kernel(Walk walk, Operation operation) {
  walk.for_own(operation, operation);
}

template <class Operation>
__global__ void sum_values_kernel(Walk walk, Operation operation, double* partial) {
  __shared__ double sums[most_threads];
  double sum = 0.0;
  walk.for_own(operation, [&](std::int64_t row, std::int64_t i, auto factor) { sum += operation(row, i, factor); });
  const int thread = static_cast<int>(threadIdx.x);
  sums[thread] = sum;
  for (int distance = walk.lanes / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (thread < distance * walk.tile) {
      sums[thread] += sums[thread + distance * walk.tile];
    }
  }
  if (thread < walk.tile && walk.column() < walk.columns) {
    partial[walk.column() * (gridDim.x / walk.tiles) + walk.block()] = sums[thread];
  }
}

}  // namespace

template <class Operation>
void for_values(Context<Cuda>& ctx, std::int64_t rows, Index columns, const Operation& operation) {
  const Walk walk(rows, columns, false);
  launch(ctx, for_values_kernel<Operation>, walk.grid(), walk, operation);
}

template <class Operation>
void sum_values(Context<Cuda>& ctx, std::int64_t rows, Index columns, const Operation& operation,
                Span<double, Cuda> partial) {
  const Walk walk(rows, columns, true);
  launch(ctx, sum_values_kernel<Operation>, walk.grid(), walk, operation, partial.data());
}

#define AMGSOLVE_INSTANTIATE_FOR(Operation) \
  template void for_values(Context<Cuda>&, std::int64_t, Index, const Operation&);
#define AMGSOLVE_INSTANTIATE_SUM(Operation) \
  template void sum_values(Context<Cuda>&, std::int64_t, Index, const Operation&, Span<double, Cuda>);

AMGSOLVE_FOR_OPERATIONS(AMGSOLVE_INSTANTIATE_FOR, float)
AMGSOLVE_FOR_OPERATIONS(AMGSOLVE_INSTANTIATE_FOR, double)
AMGSOLVE_FOR_SUMS(AMGSOLVE_INSTANTIATE_SUM, float)
AMGSOLVE_FOR_SUMS(AMGSOLVE_INSTANTIATE_SUM, double)
#undef AMGSOLVE_INSTANTIATE_SUM
#undef AMGSOLVE_INSTANTIATE_FOR

}  // namespace amgsolve::detail
