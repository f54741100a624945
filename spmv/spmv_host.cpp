#include "spmv/spmv.hpp"

#include <algorithm>

#include "spmv/parallel_rows_host.hpp"
#include "spmv/shapes.hpp"
#include "spmv/work.hpp"

namespace amgsolve {
namespace {

// Columns of a fat vector worked on at once: their sums stay in registers.
constexpr Index tile_columns = 8;

// Rows whose results are held back and written together. Vectors often begin at the same place within a page, and a
// processor that sees y_i written and x_i ± 1 read right after takes the low 12 bits of their addresses for the same
// memory and waits: written row by row, products of short rows took 2.4 times as long.
constexpr Index batch_rows = 64;

// How many entries ahead they are asked for, across the ends of rows and past the end of the arrays too. It saves a
// third of the time on rows of 27 entries and some on shorter ones; 256 to 1024 do equally well.
constexpr Offset prefetch_distance = 256;

/// sums_j = Σ_l a_il x_lj for Width columns of one row, in the order of its entries. X begins with the first of these
/// columns and has k in all.
template <Index Width, class T>
[[gnu::always_inline]] inline void multiply_row(const Index* columns, const T* values, Offset begin, Offset end,
                                                const T* X, Index k, T* sums) {
  constexpr Offset cache_line = 64 / sizeof(T);
  T row[static_cast<std::size_t>(Width)] = {};
  Offset entry = begin;
  while (entry < end) {
    __builtin_prefetch(values + entry + prefetch_distance);
    __builtin_prefetch(columns + entry + prefetch_distance);
    const Offset chunk_end = std::min(entry + cache_line, end);
    for (; entry < chunk_end; ++entry) {
      const T value = values[entry];
      const T* x = X + static_cast<std::size_t>(columns[entry]) * static_cast<std::size_t>(k);
      for (Index j = 0; j < Width; ++j) {
        row[j] += value * x[j];
      }
    }
  }
  std::copy_n(row, Width, sums);
}

/// epilogue(row, position, sum) for every value of A X, where position is its place in a fat vector; the number of
/// columns is known at compile time.
template <Index Columns, class T, class Epilogue>
void multiply_rows_fixed(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const T* X, const Epilogue& epilogue) {
  const Offset* offsets = A.row_offsets.data();
  const Index* columns = A.col_indices.data();
  const T* values = A.values.data();
  parallel_rows(ctx, A.rows, offsets, [&](Index first, Index last) {
    T sums[static_cast<std::size_t>(batch_rows * Columns)];
    for (Index batch = first; batch < last; batch += batch_rows) {
      const Index rows = std::min(batch_rows, last - batch);
      for (Index i = 0; i < rows; ++i) {
        multiply_row<Columns>(columns, values, offsets[batch + i], offsets[batch + i + 1], X, Columns,
                              sums + i * Columns);
      }
      const std::size_t position = static_cast<std::size_t>(batch) * static_cast<std::size_t>(Columns);
#pragma GCC ivdep
      for (Index i = 0; i < rows * Columns; ++i) {
        epilogue(batch + i / Columns, position + static_cast<std::size_t>(i), sums[i]);
      }
    }
  });
}

/// The same for any number of columns, by tiles: a row is read again for each tile, from cache.
template <class T, class Epilogue>
void multiply_rows_tiled(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const T* X, Index k,
                         const Epilogue& epilogue) {
  const Offset* offsets = A.row_offsets.data();
  const Index* columns = A.col_indices.data();
  const T* values = A.values.data();
  parallel_rows(ctx, A.rows, offsets, [&](Index first, Index last) {
    T sums[static_cast<std::size_t>(tile_columns)];
    for (Index row = first; row < last; ++row) {
      for (Index j = 0, width = 0; j < k; j += width) {
        width = k - j >= tile_columns ? tile_columns : 1;
        if (width == tile_columns) {
          multiply_row<tile_columns>(columns, values, offsets[row], offsets[row + 1], X + j, k, sums);
        } else {
          multiply_row<1>(columns, values, offsets[row], offsets[row + 1], X + j, k, sums);
        }
        const std::size_t position =
            static_cast<std::size_t>(row) * static_cast<std::size_t>(k) + static_cast<std::size_t>(j);
        for (Index c = 0; c < width; ++c) {
          epilogue(row, position + static_cast<std::size_t>(c), sums[c]);
        }
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

template <class Matrix, class T>
void multiply_add(Context<Host>& ctx, T alpha, const Matrix& A, Offset nnz, FatView<const T, Host> X, T beta,
                  FatView<T, Host> Y) {
  expect_shape("X", shape_of(X), {A.cols, X.columns});
  expect_shape("Y", shape_of(Y), {A.rows, X.columns});
  T* const y = Y.data;
  if (beta == T{0}) {
    multiply_rows(ctx, A, X, [=](Index, std::size_t i, T sum) { y[i] = alpha * sum; });
    book_product(ctx, A, nnz, X, 1, false, 1);
  } else {
    multiply_rows(ctx, A, X, [=](Index, std::size_t i, T sum) { y[i] = alpha * sum + beta * y[i]; });
    book_product(ctx, A, nnz, X, 2, false, 3);
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
  expect_shape("X", shape_of(X), {A.cols, X.columns});
  expect_shape("B", shape_of(B), {A.rows, X.columns});
  expect_shape("R", shape_of(R), {A.rows, X.columns});
  multiply_rows(ctx, A, X, [b = B.data, r = R.data](Index, std::size_t i, T sum) { r[i] = b[i] - sum; });
  book_product(ctx, A, A.nnz(), X, 2, false, 1);
}

template <class T>
void smoothing_step(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const std::type_identity_t<T>, Host> d,
                    std::type_identity_t<T> a, std::type_identity_t<T> s, std::type_identity_t<T> c,
                    FatView<const std::type_identity_t<T>, Host> B, FatView<const std::type_identity_t<T>, Host> X,
                    FatView<std::type_identity_t<T>, Host> X_out) {
  expect_square(shape_of(A));
  expect_length("d", d.size(), A.rows);
  expect_shape("X", shape_of(X), {A.rows, X.columns});
  expect_shape("B", shape_of(B), {A.rows, X.columns});
  expect_shape("X_out", shape_of(X_out), {A.rows, X.columns});
  const T* const diagonal = d.data();
  const T* const b = B.data;
  const T* const x = X.data;
  T* const out = X_out.data;
  if (c == T{0}) {
    multiply_rows(ctx, A, X,
                  [=](Index row, std::size_t i, T sum) { out[i] = a * diagonal[row] * (b[i] - sum) + s * x[i]; });
    book_product(ctx, A, A.nnz(), X, 2, true, 5);
  } else {
    multiply_rows(ctx, A, X, [=](Index row, std::size_t i, T sum) {
      out[i] = a * diagonal[row] * (b[i] - sum) + s * x[i] + c * out[i];
    });
    book_product(ctx, A, A.nnz(), X, 3, true, 7);
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
