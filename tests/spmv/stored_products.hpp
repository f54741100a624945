#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "spmv/operator.hpp"
#include "spmv/transfer.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/naive_spmv.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"

/// Products with stored matrices, beside a naive one.
namespace amgsolve {

struct Shape {
  Index rows;
  Index cols;
  Index longest_row;
};

// Around the sizes that kernels treat apart: nothing, one row, a block of rows, past the threshold for threads, and
// rows of 0 to 300 entries on average, which 1, 2, 4, 8, 16 and 32 lanes of a device share.
inline constexpr Shape shapes[] = {{0, 5, 3},       {5, 0, 0},         {1, 1, 1},        {300, 400, 1},
                                   {300, 400, 4},   {300, 400, 20},    {300, 400, 48},   {257, 100, 90},
                                   {100, 257, 200}, {9000, 3000, 200}, {500, 1000, 350}, {500, 2000, 600}};
inline constexpr Index column_counts[] = {1, 2, 3, 4, 5, 8, 11, 12, 16, 32, 33, 36};

/// A in a storage, in the memory space of the context.
template <class T, class Space>
Operator<T, Space> stored(Context<Space>& ctx, const CsrMatrix<T, Host>& A, Storage storage) {
  return {ctx, amgsolve::upload(ctx, A), storage};
}

/// Vectors that are only written begin as NaN, so that reading them shows.
template <class T>
std::vector<T> unset(std::size_t n) {
  return std::vector<T>(n, std::numeric_limits<T>::quiet_NaN());
}

inline std::size_t count(Index rows, Index columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// |y − expected| within the rounding of a product of that row and `operations` more.
template <class T>
void expect_close(const std::vector<T>& y, const std::vector<double>& expected, const std::vector<double>& terms,
                  double operations, const std::vector<double>& magnitudes) {
  ASSERT_EQ(y.size(), expected.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(y[i]), expected[i],
                reference::summation_bound<T>(terms[i] + operations, magnitudes[i]))
        << "value " << i;
  }
}

/// multiply(X, Y) gives Y = α A X + β Y.
template <class T, class Space, class Multiply>
void expect_product(Context<Space>& ctx, const CsrMatrix<T, Host>& A, Index k, T alpha, T beta,
                    const Multiply& multiply) {
  const auto X = reference::random_values<T>(count(A.cols, k), 1);
  const auto n = count(A.rows, k);
  const auto Y = beta == T{0} ? unset<T>(n) : reference::random_values<T>(n, 2);
  auto product = reference::naive_spmv(A, X, k);
  for (std::size_t i = 0; i < n; ++i) {
    const double old = beta == T{0} ? 0.0 : static_cast<double>(beta) * static_cast<double>(Y[i]);
    product.values[i] = static_cast<double>(alpha) * product.values[i] + old;
    product.magnitudes[i] = std::abs(static_cast<double>(alpha)) * product.magnitudes[i] + std::abs(old);
  }
  const auto X_there = reference::upload(ctx, X, k);
  auto Y_there = reference::upload(ctx, Y, k);
  multiply(X_there.view(), Y_there.view());
  expect_close(reference::download(ctx, Y_there), product.values, product.terms, 3.0, product.magnitudes);
}

}  // namespace amgsolve
