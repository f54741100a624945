#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <algorithm>
#include <limits>

#include "amg/coarse_solver.hpp"
#include "amg/coarse_solver_tuning_cuda.hpp"
#include "amg/dense_lu.hpp"
#include "core/copy.hpp"
#include "core/parallel_cuda.cuh"
#include "spmv/row_lanes_cuda.cuh"
#include "spmv/statistics.hpp"
#include "spmv/transfer.hpp"

namespace amgsolve {
namespace {

/// How far elimination has come, a panel of pivots at a time.
struct Elimination {
  Index columns;  ///< pivots in the panel; fewer than panel_width: only vanishing ones are left, or a negative one
  Index rank;     ///< rows eliminated so far
  double value;   ///< of the last pivot looked at
};

using namespace coarse_factor;

__device__ double inverse_root(double diagonal) { return diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 0.0; }

/// dense = D^(−1/2) A D^(−1/2) from A's lower triangle, on a zeroed matrix.
template <class T>
void fill_scaled(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const T* diagonal, double* dense) {
  const std::int64_t n = A.rows;
  const Index* col_indices = A.col_indices.data();
  const T* values = A.values.data();
  parallel_entries(ctx, A.rows, A.nnz(), A.row_offsets.data(), [=] __device__(std::int64_t i, Offset k) {
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

/// A number that is larger for a larger magnitude, as far as 20 bits of it tell.
__device__ std::uint32_t leading_bits(double magnitude) {
  return static_cast<std::uint32_t>(__double2hiint(magnitude));
}

/// The largest diagonal entry among rows that are left; the lowest row of those that look equal.
struct Candidate {
  std::uint32_t magnitude;  ///< its leading bits
  std::uint32_t row;

  __device__ static Candidate none() { return {0, static_cast<std::uint32_t>(max_index)}; }

  __device__ void consider(double diagonal, std::int64_t i) {
    const std::uint32_t other = leading_bits(fabs(diagonal));
    row = other > magnitude ? static_cast<std::uint32_t>(i) : row;
    magnitude = max(magnitude, other);
  }

  /// The best of a warp's.
  __device__ Candidate of_warp() const {
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<warp_size>(cg::this_thread_block());
    const std::uint32_t most = cg::reduce(warp, magnitude, cg::greater<std::uint32_t>());
    const std::uint32_t mine = magnitude == most ? row : none().row;
    return {most, cg::reduce(warp, mine, cg::less<std::uint32_t>())};
  }
};

/// Chooses up to panel_width pivots, each the largest diagonal entry that those before it leave, and forms their panel
/// U, column s of which is U + s n: with L Lᵀ the matrix in the rows K of the pivots, U_J = A_JK L⁻ᵀ in all other rows
/// and U_K = −L⁻ᵀ. Column by column, as a pivoted Cholesky factor looking left (Hammarling, Higham, Lucas 2007), in
/// which row k is that of −I once k is a pivot. One block; no columns where the panel before was not full.
/// @param panel       counts from 1
/// @param eliminated  the panel of a row; 0 for those that are left
/// @param left        n diagonal entries, scratch
__global__ void __launch_bounds__(most_panel_threads)
    choose_pivots(std::int64_t n, Index panel, double vanishing, const double* matrix, Index* eliminated, double* left,
                  double* U, Elimination* progress) {
  __shared__ Candidate of_warps[warp_size];
  __shared__ double pivot_row[panel_width];
  const auto t = static_cast<std::int64_t>(threadIdx.x);
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warps = static_cast<int>(blockDim.x) / warp_size;
  if (panel > 1 && progress->columns < panel_width) {
    __syncthreads();  // all have seen it
    progress->columns = 0;
    return;
  }
  Candidate best = Candidate::none();
  for (std::int64_t i = t; i < n; i += blockDim.x) {
    left[i] = eliminated[i] == 0 ? matrix[i * n + i] : 0.0;
    best.consider(left[i], i);
  }
  Index columns = 0;
  double value = 0.0;
  for (; columns < panel_width; ++columns) {
    best = best.of_warp();
    if (lane == 0) {
      of_warps[threadIdx.x / warp_size] = best;
    }
    __syncthreads();
    best = (lane < warps ? of_warps[lane] : Candidate::none()).of_warp();
    const std::int64_t k = best.row;
    value = k < n ? left[k] : 0.0;
    if (!(value > vanishing)) {
      break;
    }
    const auto entry = [&](std::int64_t i) { return i == k ? -1.0 : eliminated[i] == panel ? 0.0 : matrix[k * n + i]; };
    double a = t < n ? entry(t) : 0.0;
    if (t < columns) {
      pivot_row[t] = U[t * n + k];
      U[t * n + k] = 0.0;
    }
    __syncthreads();
    const double inverse = rsqrt(value);
    best = Candidate::none();
    for (std::int64_t i = t; i < n; i += blockDim.x) {
#pragma unroll 8
      for (Index s = 0; s < columns; ++s) {
        a = fma(-U[s * n + i], pivot_row[s], a);
      }
      const double u = a * inverse;
      U[columns * n + i] = u;
      if (i == k) {
        eliminated[i] = panel;
        left[i] = 0.0;
      } else if (eliminated[i] == 0) {
        left[i] = fma(-u, u, left[i]);
        best.consider(left[i], i);
      }
      a = i + blockDim.x < n ? entry(i + blockDim.x) : 0.0;
    }
  }
  if (t == 0) {
    progress->columns = columns;
    progress->rank += columns;
    progress->value = value;
  }
}

/// Eliminates a panel's pivots by Gauss and Jordan in place, which keeps the matrix symmetric (the sweep operator:
/// Goodnight 1979): the rows and columns of the pivots become zero, then U Uᵀ is taken off. A tile a block.
__global__ void __launch_bounds__(tile_width* tile_rows)
    eliminate(std::int64_t n, Index panel, const Index* eliminated, const double* U, const Elimination* progress,
              double* matrix) {
  __shared__ double U_rows[panel_width][tile_width];
  __shared__ double U_cols[panel_width][tile_width];
  const Index columns = progress->columns;
  const std::int64_t tiles = (n + tile_width - 1) / tile_width;
  const std::int64_t first_row = blockIdx.x / tiles * tile_width;
  const std::int64_t first_col = blockIdx.x % tiles * tile_width;
  const int x = static_cast<int>(threadIdx.x) % tile_width;
  const int y = static_cast<int>(threadIdx.x) / tile_width;
  for (int s = y; s < columns; s += tile_rows) {
    U_rows[s][x] = first_row + x < n ? U[s * n + first_row + x] : 0.0;
    U_cols[s][x] = first_col + x < n ? U[s * n + first_col + x] : 0.0;
  }
  __syncthreads();
  const std::int64_t j = first_col + x;
  for (int r = y; r < tile_width; r += tile_rows) {
    const std::int64_t i = first_row + r;
    if (i < n && j < n && columns > 0) {
      double sum = eliminated[i] == panel || eliminated[j] == panel ? 0.0 : matrix[i * n + j];
      for (Index s = 0; s < columns; ++s) {
        sum = fma(-U_rows[s][r], U_cols[s][x], sum);
      }
      matrix[i * n + j] = sum;
    }
  }
}

/// What stands in the rows eliminated is the inverse of that part, negated and scaled; the others become zero.
template <class T>
void store_inverse(Context<Cuda>& ctx, std::int64_t n, const double* matrix, const Index* eliminated, const T* diagonal,
                   T* inverse) {
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
void CoarseSolver<T, Cuda>::invert_on_host(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  Context<Host> host;
  const DenseLu lu(host, download(ctx, host, A),
                   detail::vanishing_pivot(A.rows, static_cast<double>(std::numeric_limits<T>::epsilon())));
  nullity_ = lu.nullity();
  const std::vector<double> inverse = lu.inverse();
  const std::vector<T> rounded(inverse.begin(), inverse.end());
  inverse_ = upload(ctx, Span<const T, Host>(rounded.data(), rounded.size()));
}

template <class T>
CoarseSolver<T, Cuda>::CoarseSolver(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, MatrixKind kind,
                                    const RoundingShare& rounding) {
  if (kind == MatrixKind::general) {
    invert_on_host(ctx, A);
    return;
  }
  const auto rows = static_cast<std::size_t>(A.rows);
  const std::int64_t n = A.rows;
  WorkspaceScope scope(ctx.workspace());
  const auto diagonal = scope.take<T>(rows);
  const auto matrix = scope.take<double>(checked_multiply(rows, rows, "coarsest matrix"));
  const auto left = scope.take<double>(rows);
  const auto U = scope.take<double>(checked_multiply(rows, std::size_t{panel_width}, "panel of pivots"));
  const auto eliminated = scope.take<Index>(rows);
  const auto progress = scope.take<Elimination>(1);
  extract_diagonal<T>(ctx, A, diagonal);
  set_zero(ctx, matrix);
  set_zero(ctx, eliminated);
  set_zero(ctx, progress);
  fill_scaled(ctx, A, diagonal.data(), matrix.data());

  const auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const double vanishing = detail::vanishing_pivot(A.rows, epsilon);
  const auto threads =
      static_cast<int>(std::min<std::int64_t>((n + warp_size - 1) / warp_size * warp_size, most_panel_threads));
  const std::int64_t tiles = (n + tile_width - 1) / tile_width;
  const auto panels = static_cast<Index>((n + panel_width - 1) / panel_width);
  for (Index panel = 1; panel <= panels; ++panel) {
    launch(ctx, choose_pivots, {.blocks = 1, .threads = threads}, n, panel, vanishing, matrix.data(), eliminated.data(),
           left.data(), U.data(), progress.data());
    launch(ctx, eliminate, {.blocks = tiles * tiles, .threads = tile_width * tile_rows}, n, panel, eliminated.data(),
           U.data(), progress.data(), matrix.data());
  }
  const Elimination last = element(ctx, progress, 0);
  if (kind != MatrixKind::definite && (last.value < detail::negative_pivot(epsilon) || last.rank < A.rows)) {
    invert_on_host(ctx, A);
    return;
  }
  detail::check_pivot(A.rows, last.value, epsilon, rounding);
  nullity_ = A.rows - last.rank;

  inverse_ = Buffer<T, Cuda>(ctx, matrix.size());
  store_inverse(ctx, A.rows, matrix.data(), eliminated.data(), diagonal.data(), inverse_.data());
}

template <class T>
void CoarseSolver<T, Cuda>::solve(Context<Cuda>& ctx, MultiVectorView<const T, Cuda> b,
                                  MultiVectorView<T, Cuda> x) const {
  const std::int64_t n = b.rows;
  launch(ctx, multiply_dense<T>, Grid::of_lanes(n * b.columns, warp_size), n, std::int64_t{b.columns}, inverse_.data(),
         b.data, x.data);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(bytes()), .flops = 2 * n * n * b.columns});
}

template class CoarseSolver<float, Cuda>;
template class CoarseSolver<double, Cuda>;

}  // namespace amgsolve
