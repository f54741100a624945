#include "amg/coarse_solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "amg/dense_lu.hpp"
#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/spmv.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class CoarseSolverTest : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(CoarseSolverTest, reference::Instances, reference::InstanceNames);

template <class T, MemorySpace S>
CoarseSolver<T, S> factor(Context<S>& ctx, const CsrMatrix<T, Host>& A) {
  return {ctx, reference::upload(ctx, borrow(A))};
}

/// ‖A x − b‖_max for b = A y, which is in the range of A whether that is regular or not.
template <class T, MemorySpace S>
double worst_residual(Context<S>& ctx, const CsrMatrix<T, Host>& A, const CoarseSolver<T, S>& solver, Index k) {
  Context<Host> host;
  const auto y = reference::random_values<T>(static_cast<std::size_t>(A.rows * k), 3);
  std::vector<T> b(y.size());
  const MultiVectorView<T, Host> b_view(b.data(), A.rows, k);
  spmv<T>(host, T{1}, A, MultiVectorView<const T, Host>(y.data(), A.rows, k), T{0}, b_view);
  const MultiVector<T, S> b_there = reference::upload(ctx, b, k);
  MultiVector<T, S> x_there(ctx, A.rows, k);
  solver.solve(ctx, b_there, x_there);
  const std::vector<T> x = reference::download(ctx, x_there);
  MultiVector<T, Host> r(host, A.rows, k);
  copy<T, T>(host, MultiVectorView<const T, Host>(b_view), r.view());
  spmv<T>(host, T{-1}, A, MultiVectorView<const T, Host>(x.data(), A.rows, k), T{1}, r);
  double worst = 0.0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(r.data()[i])));
  }
  return worst;
}

TYPED_TEST(CoarseSolverTest, SolvesRegularSystems) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const Index n : {1, 2, 32, 50, 233, 1100}) {
    const auto A = reference::random_spd_matrix<T>(host, n, 5, 9);
    const auto solver = factor(ctx, A);
    EXPECT_EQ(solver.nullity(), 0);
    for (const Index k : {1, 3}) {
      // Entries of some ten in magnitude; the condition number is about the same.
      EXPECT_LT(worst_residual(ctx, A, solver, k), 1000 * std::numeric_limits<T>::epsilon());
    }
  }
}

TEST(CoarseSolverOfTheHost, IsInterruptedBetweenPanels) {
  Context<Host> ctx;
  const auto A = reference::random_spd_matrix<double>(ctx, 600, 5, 9);
  int asked = 0;
  ctx.set_stop([&] { return ++asked == 4; });
  EXPECT_THROW(factor(ctx, A), InterruptedError);
  EXPECT_EQ(asked, 4);
}

TYPED_TEST(CoarseSolverTest, SolvesSingularSystemsForRightHandSidesInTheRange) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const Boundary boundary : {Boundary::neumann, Boundary::periodic}) {
    GeneratedProblem problem = reference::poisson(reference::grid({12, 11}), Discretization::fd);
    problem.boundary = boundary;
    const auto A = generate_matrix<T>(host, problem);
    const auto solver = factor(ctx, A);
    EXPECT_EQ(solver.nullity(), 1);
    EXPECT_LT(worst_residual(ctx, A, solver, 2), 1e4 * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(CoarseSolverTest, TakesItsFactorFromTheContext) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(ctx, reference::random_spd_matrix<T>(host, 400, 5, 9));
  auto& memory = ctx.memory();
  const std::size_t before = memory.bytes_in_use();
  {
    const CoarseSolver<T, typename TypeParam::Space> solver(ctx, A);
    ctx.workspace().release();
    EXPECT_EQ(memory.bytes_in_use() - before, solver.bytes());
    EXPECT_GE(solver.bytes(), 400 * 400 * sizeof(T));
  }
  memory.set_limit(before + 400 * 400 * sizeof(T) - 1);
  EXPECT_THROW((CoarseSolver<T, typename TypeParam::Space>(ctx, A)), OutOfMemoryError);
}

TYPED_TEST(CoarseSolverTest, LeavesZeroRowsOut) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::matrix_from_entries<T>(host, 3, 3, {{0, 0, 4}, {0, 2, 1}, {2, 0, 1}, {2, 2, 3}});
  const auto solver = factor(ctx, A);
  EXPECT_EQ(solver.nullity(), 1);
  EXPECT_LT(worst_residual(ctx, A, solver, 1), 100 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(CoarseSolverTest, RefusesIndefiniteMatrices) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::matrix_from_entries<T>(host, 2, 2, {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 1, 1}});
  EXPECT_THROW(factor(ctx, A), BreakdownError);
}

TYPED_TEST(CoarseSolverTest, TakesPivotsThatRoundingErrorsExplainForZeroAndNoOthers) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const bool is_double = sizeof(T) == sizeof(double);
  // The second pivot is 2 δ − δ².
  const auto nullity_with = [&](double delta, const RoundingShare& rounding = {}) {
    const double a = 1.0 - delta;
    const auto A = reference::matrix_from_entries<T>(host, 2, 2, {{0, 0, 1}, {0, 1, a}, {1, 0, a}, {1, 1, 1}});
    return CoarseSolver<T, typename TypeParam::Space>(ctx, reference::upload(ctx, borrow(A)), MatrixKind::definite,
                                                      rounding)
        .nullity();
  };
  EXPECT_EQ(nullity_with(is_double ? 1e-10 : 1e-3), 0);
  EXPECT_EQ(nullity_with(is_double ? 1e-14 : 1e-6), 1);
  EXPECT_EQ(nullity_with(is_double ? -1e-14 : -1e-6), 1);
  EXPECT_EQ(nullity_with(is_double ? -1e-10 : -1e-3), 1);
  EXPECT_THROW(nullity_with(is_double ? -1e-6 : -0.2), BreakdownError);
  // More of them where the levels above have had entries so much larger.
  const auto share = [](double of_diagonal) { return [of_diagonal] { return of_diagonal; }; };
  if (is_double) {
    EXPECT_EQ(nullity_with(-1e-6, share(2e-6)), 1);
    EXPECT_THROW(nullity_with(-1e-6, share(0.5e-6)), BreakdownError);
  }
  EXPECT_THROW(nullity_with(-0.2, share(1.0)), BreakdownError);
  // Of many rows there are more rounding errors.
  const auto cluster = [&](Index n, double delta) {
    std::vector<reference::Entry> entries;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        entries.push_back({i, j, i == j ? 1.0 : 1.0 - delta});
      }
    }
    return factor(ctx, reference::matrix_from_entries<T>(host, n, n, entries)).nullity();
  };
  if (is_double) {
    EXPECT_EQ(cluster(2, 2e-12), 0);
    EXPECT_EQ(cluster(100, 2e-12), 99);
  }
}

TEST(DenseLu, UnitsOfUnknownsAreNoSingularity) {
  Context<Host> ctx;
  constexpr Index n = 20;
  const auto values = reference::random_values<double>(n * n, 7);
  for (const int largest_exponent : {0, 40, 900}) {
    // Columns from 1 down to 2^−40 or 2^−900; the last two are alike in a singular matrix.
    const auto unit = [&](Index j) { return std::ldexp(1.0, -largest_exponent * j / (n - 1)); };
    for (const Index different : {n, n - 1}) {
      std::vector<reference::Entry> entries;
      Eigen::MatrixXd dense(n, n);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
          dense(i, j) = unit(j) * values[static_cast<std::size_t>(i * n + std::min(j, different - 1))];
          entries.push_back({i, j, dense(i, j)});
        }
      }
      const DenseLu lu(ctx, reference::matrix_from_entries<double>(ctx, n, n, entries), 1e-12);
      EXPECT_EQ(lu.nullity(), n - different) << largest_exponent;
      Eigen::VectorXd y(n);
      for (Index j = 0; j < n; ++j) {
        y(j) = 1.0 / unit(j);
      }
      const Eigen::VectorXd b = dense * y;
      Eigen::VectorXd x = b;
      lu.solve(x.data(), 1);
      EXPECT_LE((dense * x - b).norm(), 1e-12 * b.norm());
      const std::vector<double> inverse = lu.inverse();
      const Eigen::Map<const Eigen::Matrix<double, n, n, Eigen::RowMajor>> product(inverse.data());
      EXPECT_LE((dense * (product * b) - b).norm(), 1e-10 * b.norm());
    }
  }
}

}  // namespace
}  // namespace amgsolve
