#include "spmv/spmv.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "spmv/parallel_rows_host.hpp"

namespace amgsolve {
namespace {

// Columns of a fat vector worked on at once: their sums stay in registers.
constexpr Index tile_columns = 8;

/// Columns j … j + Width − 1 of one row: epilogue(row, position, sum) with sum = Σ_l a_il x_lj for every column, where
/// position is the place of (row, column) in a fat vector of k columns.
template <Index Width, class T, class Epilogue>
[[gnu::always_inline]] inline void multiply_row(const CsrMatrix<T, Host>& A, Index row, Offset begin, Offset end,
                                                const T* X, Index k, Index j, const Epilogue& epilogue) {
  const Index* columns = A.col_indices.data();
  const T* values = A.values.data();
  T sums[static_cast<std::size_t>(Width)] = {};
  for (Offset entry = begin; entry < end; ++entry) {
    const T value = values[entry];
    const T* x = X + static_cast<std::size_t>(columns[entry]) * static_cast<std::size_t>(k) + j;
    for (Index c = 0; c < Width; ++c) {
      sums[c] += value * x[c];
    }
  }
  const std::size_t position =
      static_cast<std::size_t>(row) * static_cast<std::size_t>(k) + static_cast<std::size_t>(j);
#pragma GCC ivdep
  for (Index c = 0; c < Width; ++c) {
    epilogue(row, position + static_cast<std::size_t>(c), sums[c]);
  }
}

/// All rows of A times X, with the number of columns known at compile time.
template <Index Columns, class T, class Epilogue>
void multiply_rows_fixed(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const T* X, const Epilogue& epilogue) {
  const Offset* offsets = A.row_offsets.data();
  parallel_rows(ctx, A.rows, offsets, [&](Index first, Index last) {
    Offset begin = offsets[first];
    for (Index row = first; row < last; ++row) {
      const Offset end = offsets[row + 1];
      multiply_row<Columns>(A, row, begin, end, X, Columns, 0, epilogue);
      begin = end;
    }
  });
}

/// All rows of A times X for any number of columns, by tiles: a row is read again for each tile, from cache.
template <class T, class Epilogue>
void multiply_rows_tiled(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const T* X, Index k,
                         const Epilogue& epilogue) {
  const Offset* offsets = A.row_offsets.data();
  parallel_rows(ctx, A.rows, offsets, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      const Offset begin = offsets[row];
      const Offset end = offsets[row + 1];
      Index j = 0;
      for (; j + tile_columns <= k; j += tile_columns) {
        multiply_row<tile_columns>(A, row, begin, end, X, k, j, epilogue);
      }
      for (; j < k; ++j) {
        multiply_row<1>(A, row, begin, end, X, k, j, epilogue);
      }
    }
  });
}

template <class T, class Epilogue>
void multiply_rows(Context<Host>& ctx, const CsrMatrix<T, Host>& A, FatView<const T, Host> X,
                   const Epilogue& epilogue) {
  switch (X.columns) {
    case 1:
      return multiply_rows_fixed<1>(ctx, A, X.data, epilogue);
    case 2:
      return multiply_rows_fixed<2>(ctx, A, X.data, epilogue);
    case 4:
      return multiply_rows_fixed<4>(ctx, A, X.data, epilogue);
    case 8:
      return multiply_rows_fixed<8>(ctx, A, X.data, epilogue);
    default:
      return multiply_rows_tiled(ctx, A, X.data, X.columns, epilogue);
  }
}

/// The same for a matrix in ELL format. Blocks of rows are worked on entry by entry, so that the loop over rows, with
/// consecutive addresses, is the inner one.
template <class T, class Epilogue>
void multiply_rows(Context<Host>& ctx, const EllMatrix<T, Host>& A, FatView<const T, Host> X,
                   const Epilogue& epilogue) {
  constexpr std::size_t block_rows = 256;
  const auto rows = static_cast<std::size_t>(A.rows);
  const auto width = static_cast<std::size_t>(A.width);
  const auto k = static_cast<std::size_t>(X.columns);
  const Index* columns = A.col_indices.data();
  const T* values = A.values.data();
  const T* x = X.data;
  const auto multiply_block = [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<std::size_t>(begin);
    const auto count = static_cast<std::size_t>(end) - first;
    for (std::size_t j = 0; j < k; ++j) {
      T sums[block_rows] = {};
      for (std::size_t entry = 0; entry < width; ++entry) {
        const Index* block_columns = columns + entry * rows + first;
        const T* block_values = values + entry * rows + first;
        for (std::size_t i = 0; i < count; ++i) {
          const Index column = block_columns[i];
          if (column != EllMatrix<T, Host>::padding) {
            sums[i] += block_values[i] * x[static_cast<std::size_t>(column) * k + j];
          }
        }
      }
      for (std::size_t i = 0; i < count; ++i) {
        epilogue(static_cast<Index>(first + i), (first + i) * k + j, sums[i]);
      }
    }
  };
  parallel_fixed_blocks(ctx, A.rows, block_rows, multiply_block);
}

template <class T>
void expect_shape(const char* what, FatView<T, Host> view, Index rows, Index columns) {
  if (view.rows != rows || view.columns != columns) {
    throw std::invalid_argument(
        fmt::format("matrix product: {} is {} x {}, expected {} x {}", what, view.rows, view.columns, rows, columns));
  }
}

/// Books a pass over A and fat vectors of k columns: the product itself, `vectors` further reads and writes of n × k
/// values beside X, and a diagonal of n values where there is one.
template <class Matrix, class T>
void book(Context<Host>& ctx, const Matrix& A, FatView<const T, Host> X, Offset nnz, int vectors, bool diagonal,
          int flops_per_value) {
  const auto values = static_cast<std::int64_t>(A.rows) * X.columns;
  const std::int64_t elements =
      static_cast<std::int64_t>(X.size()) + vectors * values + (diagonal ? std::int64_t{A.rows} : 0);
  ctx.profile().add({static_cast<std::int64_t>(A.bytes()) + elements * static_cast<std::int64_t>(sizeof(T)),
                     2 * nnz * X.columns + flops_per_value * values});
}

template <class Matrix, class T>
void multiply_add(Context<Host>& ctx, T alpha, const Matrix& A, Offset nnz, FatView<const T, Host> X, T beta,
                  FatView<T, Host> Y) {
  expect_shape("X", X, A.cols, X.columns);
  expect_shape("Y", Y, A.rows, X.columns);
  T* const y = Y.data;
  if (beta == T{0}) {
    multiply_rows(ctx, A, X, [=](Index, std::size_t i, T sum) { y[i] = alpha * sum; });
    book(ctx, A, X, nnz, 1, false, 1);
  } else {
    multiply_rows(ctx, A, X, [=](Index, std::size_t i, T sum) { y[i] = alpha * sum + beta * y[i]; });
    book(ctx, A, X, nnz, 2, false, 3);
  }
}

}  // namespace

template <class T>
void spmv(Context<Host>& ctx, std::type_identity_t<T> alpha, const CsrMatrix<T, Host>& A,
          FatView<const std::type_identity_t<T>, Host> X, std::type_identity_t<T> beta,
          FatView<std::type_identity_t<T>, Host> Y) {
  multiply_add(ctx, alpha, A, A.nnz(), X, beta, Y);
}

template <class T>
void spmv(Context<Host>& ctx, std::type_identity_t<T> alpha, const EllMatrix<T, Host>& A,
          FatView<const std::type_identity_t<T>, Host> X, std::type_identity_t<T> beta,
          FatView<std::type_identity_t<T>, Host> Y) {
  multiply_add(ctx, alpha, A, A.nnz, X, beta, Y);
}

template <class T>
void residual(Context<Host>& ctx, const CsrMatrix<T, Host>& A, FatView<const std::type_identity_t<T>, Host> B,
              FatView<const std::type_identity_t<T>, Host> X, FatView<std::type_identity_t<T>, Host> R) {
  expect_shape("X", X, A.cols, X.columns);
  expect_shape("B", B, A.rows, X.columns);
  expect_shape("R", R, A.rows, X.columns);
  multiply_rows(ctx, A, X, [b = B.data, r = R.data](Index, std::size_t i, T sum) { r[i] = b[i] - sum; });
  book(ctx, A, X, A.nnz(), 2, false, 1);
}

template <class T>
void smoothing_step(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const std::type_identity_t<T>, Host> d,
                    std::type_identity_t<T> a, std::type_identity_t<T> s, std::type_identity_t<T> c,
                    FatView<const std::type_identity_t<T>, Host> B, FatView<const std::type_identity_t<T>, Host> X,
                    FatView<std::type_identity_t<T>, Host> X_out) {
  if (A.rows != A.cols) {
    throw std::invalid_argument(fmt::format("smoothing needs a square matrix, not one of {} x {}", A.rows, A.cols));
  }
  if (d.size() != static_cast<std::size_t>(A.rows)) {
    throw std::invalid_argument(fmt::format("{} inverse diagonal entries for {} rows", d.size(), A.rows));
  }
  expect_shape("X", X, A.rows, X.columns);
  expect_shape("B", B, A.rows, X.columns);
  expect_shape("X_out", X_out, A.rows, X.columns);
  const T* const diagonal = d.data();
  const T* const b = B.data;
  const T* const x = X.data;
  T* const out = X_out.data;
  if (c == T{0}) {
    multiply_rows(ctx, A, X,
                  [=](Index row, std::size_t i, T sum) { out[i] = a * diagonal[row] * (b[i] - sum) + s * x[i]; });
    book(ctx, A, X, A.nnz(), 2, true, 5);
  } else {
    multiply_rows(ctx, A, X, [=](Index row, std::size_t i, T sum) {
      out[i] = a * diagonal[row] * (b[i] - sum) + s * x[i] + c * out[i];
    });
    book(ctx, A, X, A.nnz(), 3, true, 7);
  }
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                     \
  template void spmv(Context<Host>&, T, const CsrMatrix<T, Host>&, FatView<const T, Host>, T, FatView<T, Host>);    \
  template void spmv(Context<Host>&, T, const EllMatrix<T, Host>&, FatView<const T, Host>, T, FatView<T, Host>);    \
  template void residual(Context<Host>&, const CsrMatrix<T, Host>&, FatView<const T, Host>, FatView<const T, Host>, \
                         FatView<T, Host>);                                                                         \
  template void smoothing_step(Context<Host>&, const CsrMatrix<T, Host>&, Span<const T, Host>, T, T, T,             \
                               FatView<const T, Host>, FatView<const T, Host>, FatView<T, Host>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
