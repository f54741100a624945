#include <limits>

#include "amg/coarse_solver.hpp"
#include "core/copy.hpp"
#include "core/parallel_cuda.cuh"
#include "spmv/row_lanes_cuda.cuh"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// The step that elimination is at.
struct Pivot {
  Index row;   ///< −1: only vanishing pivots are left, or a negative one
  Index rank;  ///< rows eliminated so far
  double value;
};

constexpr int pivot_block = 1024;

__device__ double inverse_root(double diagonal) { return diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 0.0; }

/// dense = D^(−1/2) A D^(−1/2) from A's lower triangle, on a zeroed matrix.
template <class T>
void fill_scaled(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const T* diagonal, double* dense) {
  const std::int64_t n = A.rows;
  const Index* col_indices = A.col_indices.data();
  const T* values = A.values.data();
  parallel_entries(ctx, A.rows, A.row_offsets.data(), [=] __device__(std::int64_t i, Offset k) {
    const std::int64_t j = col_indices[k];
    if (j <= i) {
      const double scaling =
          inverse_root(static_cast<double>(diagonal[i])) * inverse_root(static_cast<double>(diagonal[j]));
      const double a = static_cast<double>(values[k]) * scaling;
      dense[i * n + j] = a;
      dense[j * n + i] = a;
    }
  });
}

/// Picks the largest diagonal entry among the rows that are left (the first of equal ones) as the next pivot and copies
/// its row. One block; does the same again where nothing can be eliminated any more.
__global__ void choose_pivot(std::int64_t n, double vanishing, const double* matrix, std::uint8_t* eliminated,
                             Pivot* pivot, double* pivot_row) {
  __shared__ double magnitudes[pivot_block];
  __shared__ Index rows[pivot_block];
  const auto t = static_cast<int>(threadIdx.x);
  magnitudes[t] = 0.0;
  rows[t] = max_index;
  for (std::int64_t i = t; i < n; i += pivot_block) {
    const double magnitude = fabs(matrix[i * n + i]);
    if (eliminated[i] == 0 && magnitude > magnitudes[t]) {
      magnitudes[t] = magnitude;
      rows[t] = static_cast<Index>(i);
    }
  }
  for (int distance = pivot_block / 2; distance > 0; distance /= 2) {
    __syncthreads();
    const int other = t + distance;
    if (t < distance &&
        (magnitudes[other] > magnitudes[t] || (magnitudes[other] == magnitudes[t] && rows[other] < rows[t]))) {
      magnitudes[t] = magnitudes[other];
      rows[t] = rows[other];
    }
  }
  __syncthreads();
  const std::int64_t k = rows[0];
  const double value = k < n ? matrix[k * n + k] : 0.0;
  const bool usable = value > vanishing;
  if (t == 0) {
    pivot->row = usable ? static_cast<Index>(k) : -1;
    pivot->value = value;
    if (usable) {
      pivot->rank += 1;
      eliminated[k] = 1;
    }
  }
  for (std::int64_t j = t; usable && j < n; j += pivot_block) {
    pivot_row[j] = matrix[k * n + j];
  }
}

/// One step of Gauss-Jordan elimination in place, which keeps the matrix symmetric (the sweep operator: Goodnight
/// 1979). A block a row.
__global__ void eliminate(std::int64_t n, const Pivot* pivot, const double* pivot_row, double* matrix) {
  const std::int64_t k = pivot->row;
  if (k < 0) {
    return;
  }
  const double inverse = 1.0 / pivot->value;
  const std::int64_t i = blockIdx.x;
  const double factor = pivot_row[i];
  double* row = matrix + i * n;
  for (std::int64_t j = threadIdx.x; j < n; j += blockDim.x) {
    if (i == k) {
      row[j] = j == k ? -inverse : pivot_row[j] * inverse;
    } else {
      row[j] = j == k ? factor * inverse : row[j] - factor * pivot_row[j] * inverse;
    }
  }
}

/// What stands in the rows eliminated is the inverse of that part, negated and scaled; the others become zero.
template <class T>
void store_inverse(Context<Cuda>& ctx, std::int64_t n, const double* matrix, const std::uint8_t* eliminated,
                   const T* diagonal, T* inverse) {
  parallel_for(ctx, n * n, [=] __device__(std::int64_t entry) {
    const std::int64_t i = entry / n;
    const std::int64_t j = entry % n;
    const double scaling =
        inverse_root(static_cast<double>(diagonal[i])) * inverse_root(static_cast<double>(diagonal[j]));
    inverse[entry] = eliminated[i] != 0 && eliminated[j] != 0 ? static_cast<T>(-matrix[entry] * scaling) : T{0};
  });
}

/// x = inverse b, a warp for each entry of x: its lanes read neighbouring entries of a row of the inverse.
template <class T>
__global__ void multiply_dense(std::int64_t n, std::int64_t columns, const T* inverse, const T* b, T* x) {
  const std::int64_t entry = thread_index() / warp_size;
  if (entry >= n * columns) {
    return;
  }
  const auto lane = static_cast<int>(threadIdx.x) % warp_size;
  const T* row = inverse + entry / columns * n;
  const std::int64_t c = entry % columns;
  double sum = 0.0;
  for (std::int64_t j = lane; j < n; j += warp_size) {
    sum += static_cast<double>(row[j]) * static_cast<double>(b[j * columns + c]);
  }
  sum = sum_lanes(sum);
  if (lane == 0) {
    x[entry] = static_cast<T>(sum);
  }
}

}  // namespace

template <class T>
CoarseSolver<T, Cuda>::CoarseSolver(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  const auto rows = static_cast<std::size_t>(A.rows);
  const std::int64_t n = A.rows;
  WorkspaceScope scope(ctx.workspace());
  const auto diagonal = scope.take<T>(rows);
  const auto matrix = scope.take<double>(checked_multiply(rows, rows, "coarsest matrix"));
  const auto pivot_row = scope.take<double>(rows);
  const auto eliminated = scope.take<std::uint8_t>(rows);
  const auto pivot = scope.take<Pivot>(1);
  extract_diagonal<T>(ctx, A, diagonal);
  set_zero(ctx, matrix);
  set_zero(ctx, eliminated);
  set_zero(ctx, pivot);
  fill_scaled(ctx, A, diagonal.data(), matrix.data());

  const auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const double vanishing = detail::vanishing_pivot(A.rows, epsilon);
  for (std::int64_t step = 0; step < n; ++step) {
    launch(ctx, choose_pivot, {.blocks = 1, .threads = pivot_block}, n, vanishing, matrix.data(), eliminated.data(),
           pivot.data(), pivot_row.data());
    launch(ctx, eliminate, {.blocks = n}, n, pivot.data(), pivot_row.data(), matrix.data());
  }
  const Pivot last = element(ctx, pivot, 0);
  if (last.value < detail::negative_pivot(epsilon)) {
    detail::throw_negative_pivot(A.rows, last.value);
  }
  nullity_ = A.rows - last.rank;

  inverse_ = Buffer<T, Cuda>(ctx, matrix.size());
  store_inverse(ctx, A.rows, matrix.data(), eliminated.data(), diagonal.data(), inverse_.data());
}

template <class T>
void CoarseSolver<T, Cuda>::solve(Context<Cuda>& ctx, FatView<const T, Cuda> b, FatView<T, Cuda> x) const {
  const std::int64_t n = b.rows;
  launch(ctx, multiply_dense<T>, Grid::of_lanes(n * b.columns, warp_size), n, std::int64_t{b.columns}, inverse_.data(),
         b.data, x.data);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(bytes()), .flops = 2 * n * n * b.columns});
}

template class CoarseSolver<float, Cuda>;
template class CoarseSolver<double, Cuda>;

}  // namespace amgsolve
