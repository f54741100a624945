#include <algorithm>

#include "core/copy.hpp"
#include "core/parallel_cuda.cuh"
#include "spmv/blas1.hpp"
#include "spmv/lanczos_factors.hpp"
#include "spmv/shapes.hpp"
#include "spmv/work.hpp"

namespace amgsolve {
namespace {

/// How blocks walk over a fat vector: each over a tile of at most default_block neighbouring columns, one column a
/// thread, in steps of as many rows as there are threads for. A thread keeps its column, neighbouring threads read
/// neighbouring values. The grid depends on the shape alone, and so do the bits of sums.
struct Walk {
  Index rows;
  Index columns;
  int tile;  ///< columns of a full tile
  int tiles;
  int rows_at_once;         ///< of a block
  std::int64_t row_groups;  ///< blocks that share a tile

  Grid grid() const { return {.blocks = row_groups * tiles}; }
};

// Enough blocks to even out their ends on any GPU, few enough that adding up their sums costs nothing.
constexpr std::int64_t most_row_groups = 4096;

// Fewest rows of a thread that pay for dividing the scalars of its column and for the sum over its block.
constexpr std::int64_t rows_per_thread = 4;

Walk make_walk(Shape shape) {
  const int tile = std::clamp(shape.columns, Index{1}, Index{default_block});
  const int rows_at_once = default_block / tile;
  const std::int64_t rows_of_group = rows_at_once * rows_per_thread;
  const std::int64_t row_groups = std::min((shape.rows + rows_of_group - 1) / rows_of_group, most_row_groups);
  return {shape.rows, shape.columns, tile, (shape.columns + tile - 1) / tile, rows_at_once, row_groups};
}

/// Calls step(row, i) for all values i = row · columns + j of this thread's column j, where step = make_step(j).
template <class MakeStep>
__device__ void walk_column(const Walk& walk, const MakeStep& make_step) {
  const int row_of_thread = static_cast<int>(threadIdx.x) / walk.tile;
  const std::int64_t group = blockIdx.x / walk.tiles;
  const Index column =
      static_cast<Index>(blockIdx.x % walk.tiles) * walk.tile + static_cast<Index>(threadIdx.x) % walk.tile;
  if (row_of_thread < walk.rows_at_once && column < walk.columns) {
    auto step = make_step(column);
    for (std::int64_t row = group * walk.rows_at_once + row_of_thread; row < walk.rows;
         row += walk.row_groups * walk.rows_at_once) {
      step(row, row * walk.columns + column);
    }
  }
}

template <class MakeStep>
__global__ void walk_kernel(Walk walk, MakeStep make_step) {
  walk_column(walk, make_step);
}

/// Calls step(row, i) for every value i of vectors of that shape with step = make_step(j) made once for each thread.
template <class MakeStep>
void for_columns(Context<Cuda>& ctx, Shape shape, const MakeStep& make_step) {
  const Walk walk = make_walk(shape);
  launch(ctx, walk_kernel<MakeStep>, walk.grid(), walk, make_step);
}

/// partial[group · columns + j] = Σ of the terms step(row, i) of column j in the rows of a group of blocks.
template <class MakeStep>
__global__ void sum_groups(Walk walk, MakeStep make_step, double* partial) {
  __shared__ double sums[default_block];
  double sum = 0.0;
  walk_column(walk, [&](Index column) {
    return [&sum, term = make_step(column)](std::int64_t row, std::int64_t i) { sum += term(row, i); };
  });
  const int thread = static_cast<int>(threadIdx.x);
  const int row_of_thread = thread / walk.tile;
  sums[thread] = sum;
  for (int distance = default_block / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (row_of_thread < distance && row_of_thread + distance < walk.rows_at_once) {
      sums[thread] += sums[thread + distance * walk.tile];
    }
  }
  const Index column = static_cast<Index>(blockIdx.x % walk.tiles) * walk.tile + thread;
  if (thread < walk.tile && column < walk.columns) {
    partial[blockIdx.x / walk.tiles * static_cast<std::int64_t>(walk.columns) + column] = sums[thread];
  }
}

/// result_j = Σ of partial[group · columns + j] over the groups, a block for each column.
__global__ void sum_partial(std::int64_t groups, Index columns, const double* partial, double* result) {
  double sum = 0.0;
  for (std::int64_t group = threadIdx.x; group < groups; group += default_block) {
    sum += partial[group * columns + blockIdx.x];
  }
  sum = sum_block<default_block>(sum);
  if (threadIdx.x == 0) {
    result[blockIdx.x] = sum;
  }
}

/// result_j = Σ over the rows of the terms that step(row, i) returns for column j; otherwise as for_columns.
template <class MakeStep>
void sum_columns(Context<Cuda>& ctx, Shape shape, Span<double, Cuda> result, const MakeStep& make_step) {
  const Walk walk = make_walk(shape);
  WorkspaceScope scope(ctx.workspace());
  double* const partial =
      scope.take<double>(static_cast<std::size_t>(walk.row_groups) * static_cast<std::size_t>(walk.columns)).data();
  launch(ctx, sum_groups<MakeStep>, walk.grid(), walk, make_step, partial);
  launch(ctx, sum_partial, {.blocks = walk.columns}, walk.row_groups, walk.columns, partial, result.data());
}

/// A scalar of an update, 0 where its denominator is.
template <class T>
__device__ T quotient(double numerator, double denominator) {
  return denominator == 0.0 ? T{0} : static_cast<T>(numerator / denominator);
}

std::int64_t work_size(std::size_t n) { return static_cast<std::int64_t>(n); }

}  // namespace

template <class T>
void fill(Context<Cuda>& ctx, T value, FatView<T, Cuda> x) {
  T* const values = x.data;
  parallel_for(ctx, work_size(x.size()), [=] __device__(std::int64_t i) { values[i] = value; });
  book_passes<T>(ctx, x.size(), 1, 0);
}

template <class T, class U>
void copy(Context<Cuda>& ctx, FatView<const T, Cuda> x, FatView<U, Cuda> y) {
  expect_shape("y", shape_of(y), shape_of(x));
  const T* const from = x.data;
  U* const to = y.data;
  parallel_for(ctx, work_size(x.size()), [=] __device__(std::int64_t i) { to[i] = static_cast<U>(from[i]); });
  book_passes<T>(ctx, x.size(), 1, 0);
  book_passes<U>(ctx, x.size(), 1, 0);
}

template <class T>
void axpby(Context<Cuda>& ctx, T alpha, FatView<const T, Cuda> x, T beta, FatView<T, Cuda> y) {
  expect_shape("y", shape_of(y), shape_of(x));
  const T* const from = x.data;
  T* const to = y.data;
  if (beta == T{0}) {
    parallel_for(ctx, work_size(x.size()), [=] __device__(std::int64_t i) { to[i] = alpha * from[i]; });
    book_passes<T>(ctx, x.size(), 2, 1);
  } else {
    parallel_for(ctx, work_size(x.size()), [=] __device__(std::int64_t i) { to[i] = alpha * from[i] + beta * to[i]; });
    book_passes<T>(ctx, x.size(), 3, 3);
  }
}

template <class T>
void scale_rows(Context<Cuda>& ctx, Span<const T, Cuda> d, FatView<const T, Cuda> x, FatView<T, Cuda> y) {
  expect_shape("y", shape_of(y), shape_of(x));
  expect_length("d", d.size(), x.rows);
  const T* const factors = d.data();
  const T* const from = x.data;
  T* const to = y.data;
  for_columns(ctx, shape_of(x), [=] __device__(Index) {
    return [=](std::int64_t row, std::int64_t i) { to[i] = factors[row] * from[i]; };
  });
  book_passes<T>(ctx, x.size(), 2, 1);
  book_passes<T>(ctx, d.size(), 1, 0);
}

template <class T>
void dot(Context<Cuda>& ctx, FatView<const T, Cuda> x, FatView<const T, Cuda> y, Span<double, Cuda> result) {
  expect_shape("y", shape_of(y), shape_of(x));
  expect_length("result", result.size(), x.columns);
  const T* const a = x.data;
  const T* const b = y.data;
  sum_columns(ctx, shape_of(x), result, [=] __device__(Index) {
    return [=](std::int64_t, std::int64_t i) { return static_cast<double>(a[i]) * static_cast<double>(b[i]); };
  });
  book_passes<T>(ctx, x.size(), a == b ? 1 : 2, 2);
}

template <class T>
void cg_update(Context<Cuda>& ctx, Span<const double, Cuda> rho, Span<const double, Cuda> curvature,
               FatView<const T, Cuda> p, FatView<const T, Cuda> q, FatView<T, Cuda> x, FatView<T, Cuda> r,
               Span<double, Cuda> residual_squared) {
  expect_shape("q", shape_of(q), shape_of(p));
  expect_shape("x", shape_of(x), shape_of(p));
  expect_shape("r", shape_of(r), shape_of(p));
  expect_length("rho", rho.size(), p.columns);
  expect_length("curvature", curvature.size(), p.columns);
  expect_length("residual_squared", residual_squared.size(), p.columns);
  const double* const numerator = rho.data();
  const double* const denominator = curvature.data();
  const T* const direction = p.data;
  const T* const product = q.data;
  T* const solution = x.data;
  T* const residual = r.data;
  sum_columns(ctx, shape_of(p), residual_squared, [=] __device__(Index j) {
    const T alpha = quotient<T>(numerator[j], denominator[j]);
    return [=](std::int64_t, std::int64_t i) {
      const T next = residual[i] - alpha * product[i];
      solution[i] += alpha * direction[i];
      residual[i] = next;
      return static_cast<double>(next) * static_cast<double>(next);
    };
  });
  book_passes<T>(ctx, p.size(), 6, 6);
}

template <class T>
void cg_direction(Context<Cuda>& ctx, Span<const double, Cuda> numerator, Span<const double, Cuda> denominator,
                  FatView<const T, Cuda> z, FatView<T, Cuda> p, double sign) {
  expect_shape("z", shape_of(z), shape_of(p));
  expect_length("numerator", numerator.size(), p.columns);
  expect_length("denominator", denominator.size(), p.columns);
  const double* const upper = numerator.data();
  const double* const lower = denominator.data();
  const T* const correction = z.data;
  T* const direction = p.data;
  for_columns(ctx, shape_of(p), [=] __device__(Index j) {
    const T beta = static_cast<T>(sign) * quotient<T>(upper[j], lower[j]);
    return [=](std::int64_t, std::int64_t i) {
      direction[i] = beta == T{0} ? correction[i] : correction[i] + beta * direction[i];
    };
  });
  book_passes<T>(ctx, p.size(), 3, 2);
}

template <class T>
void lanczos_step(Context<Cuda>& ctx, Span<const T, Cuda> d, FatView<const T, Cuda> q, FatView<const T, Cuda> v,
                  Span<const double, Cuda> curvature, Span<const double, Cuda> norm_squared,
                  Span<const double, Cuda> previous_squared, FatView<T, Cuda> v_previous,
                  Span<double, Cuda> next_squared) {
  expect_lanczos_shapes(d.size(), shape_of(q), shape_of(v), shape_of(v_previous));
  const T* const diagonal = d.data();
  const T* const product = q.data;
  const T* const vector = v.data;
  T* const previous = v_previous.data;
  const double* const of_product = curvature.data();
  const double* const of_vector = norm_squared.data();
  const double* const of_previous = previous_squared.data();
  sum_columns(ctx, shape_of(v), next_squared, [=] __device__(Index) {
    const LanczosFactors<T> factors(*of_product, *of_vector, *of_previous);
    return [=](std::int64_t, std::int64_t i) {
      const T next = factors.next(diagonal[i], product[i], vector[i], previous + i);
      previous[i] = next;
      return static_cast<double>(diagonal[i]) * static_cast<double>(next) * static_cast<double>(next);
    };
  });
  book_passes<T>(ctx, v.size(), 5, 9);
}

void to_host(Context<Cuda>& ctx, Span<const double, Cuda> values, double* host_values) {
  download(ctx, values, {host_values, values.size()});
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                       \
  template void fill(Context<Cuda>&, T, FatView<T, Cuda>);                                                            \
  template void copy(Context<Cuda>&, FatView<const T, Cuda>, FatView<float, Cuda>);                                   \
  template void copy(Context<Cuda>&, FatView<const T, Cuda>, FatView<double, Cuda>);                                  \
  template void axpby(Context<Cuda>&, T, FatView<const T, Cuda>, T, FatView<T, Cuda>);                                \
  template void scale_rows(Context<Cuda>&, Span<const T, Cuda>, FatView<const T, Cuda>, FatView<T, Cuda>);            \
  template void dot(Context<Cuda>&, FatView<const T, Cuda>, FatView<const T, Cuda>, Span<double, Cuda>);              \
  template void cg_update(Context<Cuda>&, Span<const double, Cuda>, Span<const double, Cuda>, FatView<const T, Cuda>, \
                          FatView<const T, Cuda>, FatView<T, Cuda>, FatView<T, Cuda>, Span<double, Cuda>);            \
  template void cg_direction(Context<Cuda>&, Span<const double, Cuda>, Span<const double, Cuda>,                      \
                             FatView<const T, Cuda>, FatView<T, Cuda>, double);                                       \
  template void lanczos_step(Context<Cuda>&, Span<const T, Cuda>, FatView<const T, Cuda>, FatView<const T, Cuda>,     \
                             Span<const double, Cuda>, Span<const double, Cuda>, Span<const double, Cuda>,            \
                             FatView<T, Cuda>, Span<double, Cuda>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
