#include <algorithm>
#include <bit>

#include "core/parallel_cuda.cuh"
#include "spmv/shapes.hpp"
#include "spmv/spmv.hpp"
#include "spmv/work.hpp"

namespace amgsolve {
namespace {

/// Σ_l a_il x_lj for all rows i and the columns j in [first, first + ColumnLanes) that X, with k columns, has; then
/// epilogue(i, i · k + j, sum). ColumnLanes · EntryLanes neighbouring lanes work on a row: those of one column share
/// its entries, so that a warp reads neighbouring entries; all of them read neighbouring values of X.
template <int ColumnLanes, int EntryLanes, class T, class Epilogue>
__global__ void multiply_rows_kernel(Index rows, const Offset* __restrict__ row_offsets,
                                     const Index* __restrict__ col_indices, const T* __restrict__ values,
                                     const T* __restrict__ X, Index k, Index first, Epilogue epilogue) {
  const std::int64_t row = thread_index() / (ColumnLanes * EntryLanes);
  const int lane = static_cast<int>(threadIdx.x) % (ColumnLanes * EntryLanes);
  const int entry_lane = lane % EntryLanes;
  const Index column = first + lane / EntryLanes;
  const bool is_inside = row < rows && column < k;
  T sum = 0;
  if (is_inside) {
    const Offset end = row_offsets[row + 1];
    for (Offset entry = row_offsets[row] + entry_lane; entry < end; entry += EntryLanes) {
      sum += values[entry] * X[static_cast<std::int64_t>(col_indices[entry]) * k + column];
    }
  }
  sum = sum_lanes<EntryLanes>(sum);
  if (is_inside && entry_lane == 0) {
    epilogue(row, row * k + column, sum);
  }
}

/// The same for a matrix in ELL format, by ColumnLanes lanes a row: neighbouring rows are neighbours in memory.
template <int ColumnLanes, class T, class Epilogue>
__global__ void multiply_ell_rows_kernel(Index rows, Index width, const Index* __restrict__ col_indices,
                                         const T* __restrict__ values, const T* __restrict__ X, Index k, Index first,
                                         Epilogue epilogue) {
  const std::int64_t row = thread_index() / ColumnLanes;
  const Index column = first + static_cast<Index>(threadIdx.x) % ColumnLanes;
  if (row >= rows || column >= k) {
    return;
  }
  T sum = 0;
  for (Index entry = 0; entry < width; ++entry) {
    const std::int64_t position = static_cast<std::int64_t>(entry) * rows + row;
    const Index l = col_indices[position];
    if (l != EllMatrix<T, Cuda>::padding) {
      sum += values[position] * X[static_cast<std::int64_t>(l) * k + column];
    }
  }
  epilogue(row, row * k + column, sum);
}

template <int N>
using Lanes = std::integral_constant<int, N>;

/// Calls body(lanes) with the power of two `lanes` in [Least, Most] as a constant.
template <int Least, int Most, class Body>
void with_lanes(unsigned lanes, const Body& body) {
  if constexpr (Least < Most) {
    if (lanes > Least) {
      return with_lanes<2 * Least, Most>(lanes, body);
    }
  }
  body(Lanes<Least>{});
}

/// Calls body(column lanes, first column) for tiles of columns that make up [0, k): a warp can work on 32 at once, the
/// last tile has the power of two that is enough for what remains.
template <class Body>
void for_column_tiles(Index k, const Body& body) {
  for (Index first = 0; first < k; first += warp_size) {
    const auto width = static_cast<unsigned>(std::min(k - first, Index{warp_size}));
    with_lanes<1, warp_size>(std::bit_ceil(width), [&](auto lanes) { body(lanes, first); });
  }
}

/// Lanes for the entries of one row and column: with two entries for each on average, few are idle and still each has
/// loads to overlap.
unsigned entry_lanes(double mean_row_length) {
  const double entries_per_lane = 2.0;
  unsigned lanes = 1;
  while (lanes < warp_size && lanes * entries_per_lane < mean_row_length) {
    lanes *= 2;
  }
  return lanes;
}

/// epilogue(i, position of (i, j) in a fat vector, (A X)_ij) for every row and column, on one thread each.
template <class T, class Epilogue>
void multiply_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, FatView<const T, Cuda> X,
                   const Epilogue& epilogue) {
  const unsigned wanted = entry_lanes(static_cast<double>(A.nnz()) / std::max(A.rows, Index{1}));
  for_column_tiles(X.columns, [&](auto column_lanes, Index first) {
    constexpr int columns = column_lanes;
    const auto run = [&](auto lanes) {
      launch(ctx, multiply_rows_kernel<columns, lanes, T, Epilogue>, Grid::of_lanes(A.rows, columns * lanes), A.rows,
             A.row_offsets.data(), A.col_indices.data(), A.values.data(), X.data, X.columns, first, epilogue);
    };
    with_lanes<1, warp_size / columns>(wanted, run);
  });
}

template <class T, class Epilogue>
void multiply_rows(Context<Cuda>& ctx, const EllMatrix<T, Cuda>& A, FatView<const T, Cuda> X,
                   const Epilogue& epilogue) {
  for_column_tiles(X.columns, [&](auto lanes, Index first) {
    launch(ctx, multiply_ell_rows_kernel<lanes, T, Epilogue>, Grid::of_lanes(A.rows, lanes), A.rows, A.width,
           A.col_indices.data(), A.values.data(), X.data, X.columns, first, epilogue);
  });
}

template <class T>
struct MultiplyAdd {
  T alpha;
  T beta;
  T* y;

  __device__ void operator()(std::int64_t, std::int64_t i, T sum) const {
    y[i] = beta == T{0} ? alpha * sum : alpha * sum + beta * y[i];
  }
};

template <class T>
struct Residual {
  const T* b;
  T* r;

  __device__ void operator()(std::int64_t, std::int64_t i, T sum) const { r[i] = b[i] - sum; }
};

template <class T>
struct SmoothingStep {
  T a;
  T s;
  T c;
  const T* d;
  const T* b;
  const T* x;
  T* out;

  __device__ void operator()(std::int64_t row, std::int64_t i, T sum) const {
    const T next = a * d[row] * (b[i] - sum) + s * x[i];
    out[i] = c == T{0} ? next : next + c * out[i];
  }
};

template <class Matrix, class T>
void multiply_add(Context<Cuda>& ctx, T alpha, const Matrix& A, Offset nnz, FatView<const T, Cuda> X, T beta,
                  FatView<T, Cuda> Y) {
  expect_shape("X", shape_of(X), {A.cols, X.columns});
  expect_shape("Y", shape_of(Y), {A.rows, X.columns});
  multiply_rows(ctx, A, X, MultiplyAdd<T>{alpha, beta, Y.data});
  const bool reads_Y = beta != T{0};
  book_product(ctx, A, nnz, X, reads_Y ? 2 : 1, false, reads_Y ? 3 : 1);
}

}  // namespace

template <class T>
void spmv(Context<Cuda>& ctx, std::type_identity_t<T> alpha, const CsrMatrix<T, Cuda>& A,
          FatView<const std::type_identity_t<T>, Cuda> X, std::type_identity_t<T> beta,
          FatView<std::type_identity_t<T>, Cuda> Y) {
  multiply_add(ctx, alpha, A, A.nnz(), X, beta, Y);
}

template <class T>
void spmv(Context<Cuda>& ctx, std::type_identity_t<T> alpha, const EllMatrix<T, Cuda>& A,
          FatView<const std::type_identity_t<T>, Cuda> X, std::type_identity_t<T> beta,
          FatView<std::type_identity_t<T>, Cuda> Y) {
  multiply_add(ctx, alpha, A, A.nnz, X, beta, Y);
}

template <class T>
void residual(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, FatView<const std::type_identity_t<T>, Cuda> B,
              FatView<const std::type_identity_t<T>, Cuda> X, FatView<std::type_identity_t<T>, Cuda> R) {
  expect_shape("X", shape_of(X), {A.cols, X.columns});
  expect_shape("B", shape_of(B), {A.rows, X.columns});
  expect_shape("R", shape_of(R), {A.rows, X.columns});
  multiply_rows(ctx, A, X, Residual<T>{B.data, R.data});
  book_product(ctx, A, A.nnz(), X, 2, false, 1);
}

template <class T>
void smoothing_step(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const std::type_identity_t<T>, Cuda> d,
                    std::type_identity_t<T> a, std::type_identity_t<T> s, std::type_identity_t<T> c,
                    FatView<const std::type_identity_t<T>, Cuda> B, FatView<const std::type_identity_t<T>, Cuda> X,
                    FatView<std::type_identity_t<T>, Cuda> X_out) {
  expect_square(shape_of(A));
  expect_length("d", d.size(), A.rows);
  expect_shape("X", shape_of(X), {A.rows, X.columns});
  expect_shape("B", shape_of(B), {A.rows, X.columns});
  expect_shape("X_out", shape_of(X_out), {A.rows, X.columns});
  multiply_rows(ctx, A, X, SmoothingStep<T>{a, s, c, d.data(), B.data, X.data, X_out.data});
  const bool reads_out = c != T{0};
  book_product(ctx, A, A.nnz(), X, reads_out ? 3 : 2, true, reads_out ? 7 : 5);
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                     \
  template void spmv(Context<Cuda>&, T, const CsrMatrix<T, Cuda>&, FatView<const T, Cuda>, T, FatView<T, Cuda>);    \
  template void spmv(Context<Cuda>&, T, const EllMatrix<T, Cuda>&, FatView<const T, Cuda>, T, FatView<T, Cuda>);    \
  template void residual(Context<Cuda>&, const CsrMatrix<T, Cuda>&, FatView<const T, Cuda>, FatView<const T, Cuda>, \
                         FatView<T, Cuda>);                                                                         \
  template void smoothing_step(Context<Cuda>&, const CsrMatrix<T, Cuda>&, Span<const T, Cuda>, T, T, T,             \
                               FatView<const T, Cuda>, FatView<const T, Cuda>, FatView<T, Cuda>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
