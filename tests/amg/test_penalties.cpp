#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "amg/convergence.hpp"
#include "amg/solver.hpp"
#include "problems/generate.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/penalties.hpp"
#include "tests/reference/spaces.hpp"

/// Values set by penalties, whose rows rule the norm of the residual: all other equations may be off by as much as they
/// are wide when that has converged.
namespace amgsolve {
namespace {

using Column = std::vector<double>;

/// A square of which the first 30 unknowns are set.
struct PenaltyProblem {
  CsrMatrix<double, Host> A;
  Column b;

  PenaltyProblem(Context<Host>& host, double penalty)
      : A(generate_matrix<double>(host, reference::poisson(reference::grid({30, 30}), Discretization::fd))),
        b(static_cast<std::size_t>(A.rows), 1.0) {
    reference::add_penalties(A, b, 30, penalty);
  }
};

template <MemorySpace S>
std::pair<SolveResult, Column> solve(Context<S>& ctx, const CsrMatrix<double, Host>& A, const Column& b, Index columns,
                                     const SolverOptions& options) {
  AmgSolver<double, S> solver({}, options);
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  auto x = reference::upload(ctx, Column(b.size()), columns);
  const SolveResult result = solver.solve(ctx, reference::upload(ctx, b, columns).view(), x);
  return {result, reference::download(ctx, x)};
}

/// By a Cholesky factorisation, which takes rows of any size.
Column exact_solution(const PenaltyProblem& problem) {
  const auto& [A, b] = problem;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(A.rows, A.cols);
  for (Index i = 0; i < A.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < static_cast<std::size_t>(A.row_offsets[row + 1]);
         ++k) {
      dense(i, A.col_indices[k]) = A.values[k];
    }
  }
  const Eigen::VectorXd x = dense.llt().solve(Eigen::Map<const Eigen::VectorXd>(b.data(), A.rows));
  return {x.begin(), x.end()};
}

/// ‖x − y‖ / ‖y‖ of column `column` of two.
double error_of(const Column& x, std::size_t column, const Column& y) {
  double error = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    error += std::pow(x[2 * i + column] - y[i], 2);
    norm += y[i] * y[i];
  }
  return std::sqrt(error / norm);
}

template <class I>
class Penalties : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Penalties, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(Penalties, HideNoEquations) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const double penalty : {1e5, 1e7, 1e9, 1e12, 1e20}) {
    SCOPED_TRACE(testing::Message() << penalty);
    const PenaltyProblem problem(host, penalty);
    Column both;
    for (const double value : problem.b) {
      both.insert(both.end(), {value, 1.0});
    }
    const auto [result, x] = solve(ctx, problem.A, both, 2, {});
    EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
    EXPECT_LE(result.relative_residual, 1e-8);
    EXPECT_GT(result.jacobi_change, 0.0);
    EXPECT_LE(result.jacobi_change, most_jacobi_change * 1e-8);
    EXPECT_LE(result.iterations, 20);
    // The least eigenvalue of D⁻¹ A is (1 − cos(π / 31)) = 0.0051.
    EXPECT_LE(error_of(x, 0, exact_solution(problem)), *result.jacobi_change / 0.005);
  }
}

// What the norm of the residual says is said, and what it does not.
TYPED_TEST(Penalties, AreToldOfWhereIterationsAreUsedUp) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const PenaltyProblem problem(host, 1e9);
  SolverOptions options;
  options.max_iterations = 2;
  const auto [result, x] = solve(ctx, problem.A, problem.b, 1, options);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_GT(result.jacobi_change, most_jacobi_change * 1e-8);
}

TYPED_TEST(Penalties, AreNotLookedForWhereRowsAreOfOneSize) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const PenaltyProblem problem(host, 100.0);
  const auto [result, x] = solve(ctx, problem.A, problem.b, 1, {});
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_EQ(result.jacobi_change, std::nullopt);
}

/// Boundary rows of the identity, and others as large as small cells make them: no residual of the tolerance can be
/// had.
TYPED_TEST(Penalties, RowsOfTheIdentityAreSolvedBesideLargeOnes) {
  using S = typename TypeParam::Space;
  constexpr Index n = 60;
  Context<Host> host;
  Context<S> ctx;
  const auto L = generate_matrix<double>(host, reference::poisson(reference::grid({n, n}), Discretization::fd));
  const auto is_on_boundary = [](Index i) { return i < n || i >= n * n - n || i % n == 0 || i % n == n - 1; };
  for (const double size : {1e9, 1e11, 1e13}) {
    CsrMatrix<double, Host> A = reference::changed_entries<double>(host, L, [&](Index i, Index j, double value) {
      return is_on_boundary(i) ? (i == j ? 1.0 : 0.0) : size * value;
    });
    AmgSolver<double, S> solver({}, {});
    solver.setup(ctx, reference::upload(ctx, std::move(A)));
    const MultiVector<double, S> b = reference::upload(ctx, std::vector<double>(std::size_t{n} * n, 1.0));
    MultiVector<double, S> x = reference::upload(ctx, std::vector<double>(std::size_t{n} * n, 0.0));
    const SolveResult result = solver.solve(ctx, std::as_const(b), x);
    EXPECT_EQ(result.method, Method::fgmres);
    EXPECT_LE(result.reason, StopReason::attained) << describe(result.reason) << " with rows of " << size;
    EXPECT_LE(result.iterations, 40) << size;
    for (const double value : reference::download(ctx, x.view().span())) {
      EXPECT_NEAR(value, 1.0, 1e-6);  // 1 on the boundary, and next to no source
    }
  }
}

TEST(ConvergenceBooks, AskForMoreWhereAStepOfJacobiChangesTooMuch) {
  constexpr double u = std::numeric_limits<double>::epsilon() / 2.0;
  SolverOptions options;
  options.tolerance = 1e-8;
  Convergence books(options, Column{1.0, 1.0}, u, 10.0 * u);
  const auto judge = [&](double first, double second) {
    return books.judge(std::vector<Judgement>{{first, 1e-3}, {second, 1e-3}});
  };
  const auto step = [&](double first, double second) {
    return books.add_iteration(std::vector<StepOutcome>{{first}, {second}});
  };
  EXPECT_EQ(judge(1.0, 1.0), std::nullopt);
  EXPECT_TRUE(step(1e-9, 1e-9));
  EXPECT_EQ(judge(1e-9, 1e-9), StopReason::converged);
  EXPECT_FALSE(books.asks_for_more(Column{9e-6, 0.0}));
  EXPECT_TRUE(books.asks_for_more(Column{1e-2, 1e-6}));
  EXPECT_FALSE(books.is_over(0));
  EXPECT_TRUE(books.is_over(1));
  // A thousandth, and a tenth of that, of what it has.
  EXPECT_FALSE(step(1.1e-13, 1e-9));
  EXPECT_TRUE(step(0.9e-13, 1e-9));
  EXPECT_EQ(judge(0.9e-13, 1e-9), StopReason::converged);
  // What was asked for at first will do where no more is to be had.
  EXPECT_TRUE(books.asks_for_more(Column{1e-2, 1e-6}));
  EXPECT_FALSE(step(0.8e-13, 1e-9));
  EXPECT_EQ(judge(0.8e-13, 1e-9), StopReason::converged);
  EXPECT_TRUE(books.asks_for_more(Column{1e-2, 1e-6}));
  EXPECT_EQ(judge(0.8e-13, 1e-9), StopReason::converged);
  EXPECT_FALSE(books.asks_for_more(Column{2e-2, 1e-6}));  // three rounds are all
  EXPECT_EQ(books.result(StopReason::converged).jacobi_change, 2e-2);
}

}  // namespace
}  // namespace amgsolve
