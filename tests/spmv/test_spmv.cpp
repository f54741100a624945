#include "spmv/spmv.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "core/timer.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/naive_spmv.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"

namespace amgsolve {
namespace {

template <class Instance>
class Spmv : public reference::SpaceTest<typename Instance::Space> {};
TYPED_TEST_SUITE(Spmv, reference::Instances, reference::InstanceNames);

struct Shape {
  Index rows;
  Index cols;
  Index longest_row;
};

// Around the sizes that kernels treat apart: nothing, one row, a block of rows, past the threshold for threads, and
// rows of 1 to 40 entries on average.
constexpr Shape shapes[] = {{0, 5, 3},      {5, 0, 0},       {1, 1, 1},         {300, 400, 1},    {300, 400, 4},
                            {257, 100, 90}, {100, 257, 200}, {9000, 3000, 200}, {500, 1000, 350}, {500, 2000, 600}};
constexpr Index column_counts[] = {1, 2, 3, 4, 5, 8, 11, 16, 32, 37};

/// Vectors that are only written begin as NaN, so that reading them shows.
template <class T>
std::vector<T> unset(std::size_t n) {
  return std::vector<T>(n, std::numeric_limits<T>::quiet_NaN());
}

std::size_t count(Index rows, Index columns) {
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

template <class T, class Matrix, class Space>
void expect_spmv_matches(Context<Space>& ctx, const Matrix& A, const CsrMatrix<T, Host>& A_host, Index k, T alpha,
                         T beta) {
  const auto X = reference::random_values<T>(count(A_host.cols, k), 1);
  const auto n = count(A_host.rows, k);
  const auto Y = beta == T{0} ? unset<T>(n) : reference::random_values<T>(n, 2);
  auto product = reference::naive_spmv(A_host, X, k);
  for (std::size_t i = 0; i < n; ++i) {
    const double old = beta == T{0} ? 0.0 : static_cast<double>(beta) * static_cast<double>(Y[i]);
    product.values[i] = static_cast<double>(alpha) * product.values[i] + old;
    product.magnitudes[i] = std::abs(static_cast<double>(alpha)) * product.magnitudes[i] + std::abs(old);
  }
  const auto X_there = reference::upload(ctx, X, k);
  auto Y_there = reference::upload(ctx, Y, k);
  spmv(ctx, alpha, A, X_there, beta, Y_there);
  expect_close(reference::download(ctx, Y_there), product.values, product.terms, 3.0, product.magnitudes);
}

TYPED_TEST(Spmv, MatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const Shape& shape : shapes) {
    const auto A_host = reference::random_matrix<T>(host, shape.rows, shape.cols, shape.longest_row, 7);
    const auto A = reference::upload(ctx, borrow(A_host));
    const auto A_ell = csr_to_ell(ctx, A);
    for (const Index k : column_counts) {
      SCOPED_TRACE(::testing::Message() << shape.rows << " x " << shape.cols << ", " << k << " columns");
      for (const T beta : {T{0}, T(-0.5)}) {
        expect_spmv_matches<T>(ctx, A, A_host, k, T(1.5), beta);
        expect_spmv_matches<T>(ctx, A_ell, A_host, k, T(1.5), beta);
      }
    }
  }
}

TYPED_TEST(Spmv, PaddingDoesNotSpreadNaN) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A =
      reference::upload(ctx, reference::matrix_from_entries<T>(host, 2, 3, {{0, 1, 2.0}, {1, 1, 1.0}, {1, 2, 1.0}}));
  const auto X = reference::upload(ctx, std::vector<T>{std::numeric_limits<T>::quiet_NaN(), T{3}, T{4}});
  FatVector<T, typename TypeParam::Space> Y(ctx, 2);
  spmv(ctx, T{1}, csr_to_ell(ctx, A), X, T{0}, Y);
  EXPECT_EQ(reference::download(ctx, Y), (std::vector<T>{T{6}, T{7}}));
}

TYPED_TEST(Spmv, ResidualMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A_host = reference::random_matrix<T>(host, 9000, 700, 100, 3);
  const auto A = reference::upload(ctx, borrow(A_host));
  for (const Index k : column_counts) {
    const auto X = reference::random_values<T>(count(A.cols, k), 4);
    const auto B = reference::random_values<T>(count(A.rows, k), 5);
    auto product = reference::naive_spmv(A_host, X, k);
    for (std::size_t i = 0; i < B.size(); ++i) {
      product.values[i] = static_cast<double>(B[i]) - product.values[i];
      product.magnitudes[i] += std::abs(static_cast<double>(B[i]));
    }
    auto R = reference::upload(ctx, unset<T>(B.size()), k);
    residual(ctx, A, reference::upload(ctx, B, k), reference::upload(ctx, X, k), R);
    expect_close(reference::download(ctx, R), product.values, product.terms, 1.0, product.magnitudes);
  }
}

TYPED_TEST(Spmv, SmoothingStepMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A_host = reference::random_matrix<T>(host, 3000, 3000, 100, 6);
  const auto A = reference::upload(ctx, borrow(A_host));
  const auto d = reference::random_values<T>(3000, 7);
  const T a = T(0.7);
  const T s = T(1.4);
  for (const Index k : column_counts) {
    for (const T c : {T{0}, T(-0.4)}) {
      const auto n = count(A.rows, k);
      const auto X = reference::random_values<T>(n, 8);
      const auto B = reference::random_values<T>(n, 9);
      const auto previous = c == T{0} ? unset<T>(n) : reference::random_values<T>(n, 10);
      auto product = reference::naive_spmv(A_host, X, k);
      for (std::size_t i = 0; i < n; ++i) {
        const double scale = static_cast<double>(a) * static_cast<double>(d[i / static_cast<std::size_t>(k)]);
        const double kept = static_cast<double>(s) * static_cast<double>(X[i]);
        const double old = c == T{0} ? 0.0 : static_cast<double>(c) * static_cast<double>(previous[i]);
        const auto b = static_cast<double>(B[i]);
        product.values[i] = scale * (b - product.values[i]) + kept + old;
        product.magnitudes[i] =
            std::abs(scale) * (std::abs(b) + product.magnitudes[i]) + std::abs(kept) + std::abs(old);
      }
      auto X_out = reference::upload(ctx, previous, k);
      smoothing_step(ctx, A, reference::upload_buffer(ctx, d), a, s, c, reference::upload(ctx, B, k),
                     reference::upload(ctx, X, k), X_out);
      expect_close(reference::download(ctx, X_out), product.values, product.terms, 6.0, product.magnitudes);
    }
  }
}

TYPED_TEST(Spmv, RefusesSizesThatDoNotMatch) {
  using T = typename TypeParam::Value;
  using Vector = FatVector<T, typename TypeParam::Space>;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(ctx, reference::random_matrix<T>(host, 4, 3, 3, 1));
  const auto square = reference::upload(ctx, reference::random_matrix<T>(host, 4, 4, 3, 1));
  Vector three(ctx, 3);
  Vector four(ctx, 4);
  Vector other(ctx, 4);
  Vector wide(ctx, 4, 2);
  const Buffer<T, typename TypeParam::Space> d(ctx, 4);
  const Buffer<T, typename TypeParam::Space> short_d(ctx, 3);
  EXPECT_THROW(spmv(ctx, T{1}, A, four, T{0}, four), std::invalid_argument);
  EXPECT_THROW(spmv(ctx, T{1}, A, three, T{0}, three), std::invalid_argument);
  EXPECT_THROW(spmv(ctx, T{1}, A, three, T{0}, wide), std::invalid_argument);
  EXPECT_THROW(spmv(ctx, T{1}, csr_to_ell(ctx, A), four, T{0}, four), std::invalid_argument);
  EXPECT_THROW(residual(ctx, A, three, three, four), std::invalid_argument);
  EXPECT_THROW(residual(ctx, A, four, three, three), std::invalid_argument);
  EXPECT_THROW(smoothing_step(ctx, A, d, T{1}, T{1}, T{0}, four, three, four), std::invalid_argument);
  EXPECT_THROW(smoothing_step(ctx, square, short_d, T{1}, T{1}, T{0}, four, four, other), std::invalid_argument);
  EXPECT_THROW(smoothing_step(ctx, square, d, T{1}, T{1}, T{0}, four, four, wide), std::invalid_argument);
  EXPECT_THROW(smoothing_step(ctx, square, d, T{1}, T{1}, T{0}, three, four, other), std::invalid_argument);
}

TYPED_TEST(Spmv, BooksMinimumBytesAndFlops) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(ctx, reference::matrix_from_entries<T>(host, 2, 2, {{0, 0, 1.0}, {1, 1, 1.0}}));
  const auto X = reference::upload(ctx, std::vector<T>(6, T{1}), 3);
  auto Y = reference::upload(ctx, std::vector<T>(6, T{1}), 3);
  {
    const ScopedTimer timer(ctx, "product");
    spmv(ctx, T{1}, A, X, T{0}, Y);
  }
  const std::int64_t value = sizeof(T);
  EXPECT_EQ(ctx.profile().nodes().at(0).work.bytes, 3 * 8 + 2 * (4 + value) + 2 * 6 * value);
  EXPECT_EQ(ctx.profile().nodes().at(0).work.flops, 2 * 2 * 3 + 6);
}

template <class Instance>
class SpmvThreads : public ::testing::Test {};
TYPED_TEST_SUITE(SpmvThreads, reference::HostInstances, reference::InstanceNames);

TYPED_TEST(SpmvThreads, BitsDoNotDependOnThreads) {
  using T = typename TypeParam::Value;
  Context<Host> one(1);
  const auto A = reference::random_matrix<T>(one, 30000, 30000, 100, 11);
  const auto A_ell = csr_to_ell(one, A);
  for (const Index k : {1, 3, 4}) {
    const auto X = reference::upload(one, reference::random_values<T>(count(A.cols, k), 12), k);
    FatVector<T, Host> expected(one, A.rows, k);
    FatVector<T, Host> y(one, A.rows, k);
    for (const int threads : {2, 7}) {
      Context<Host> ctx(threads);
      spmv(one, T(0.3), A, X, T{0}, expected);
      spmv(ctx, T(0.3), A, X, T{0}, y);
      EXPECT_EQ(reference::download(ctx, y), reference::download(one, expected)) << threads << " threads, CSR";
      spmv(one, T(0.3), A_ell, X, T{0}, expected);
      spmv(ctx, T(0.3), A_ell, X, T{0}, y);
      EXPECT_EQ(reference::download(ctx, y), reference::download(one, expected)) << threads << " threads, ELL";
    }
  }
}

}  // namespace
}  // namespace amgsolve
