#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "core/hash.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/naive_spmv.hpp"
#include "tests/reference/spaces.hpp"

/// Whether a matrix is singular does not depend on the units of its unknowns, nor what is handed over of it.
namespace amgsolve {
namespace {

template <class I>
class Verdicts : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Verdicts, reference::DoubleInstances, reference::InstanceNames);

using Vector = std::vector<double>;

/// Powers of two between 2^(−most) and 2^most, by which scaling is exact.
Vector random_units(Index n, int most) {
  Vector units(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto steps = static_cast<std::uint64_t>(2 * most + 1);
    units[i] = std::ldexp(1.0, static_cast<int>(hash64(i) % steps) - most);
  }
  return units;
}

/// S A S with S = diag(units).
CsrMatrix<double, Host> in_units(Context<Host>& host, const CsrMatrix<double, Host>& A, const Vector& units) {
  return reference::in_units(convert_values<double>(host, A),
                             [&](Index i) { return units[static_cast<std::size_t>(i)]; });
}

Vector times(const Vector& x, const Vector& y) {
  Vector result(x);
  std::ranges::transform(x, y, result.begin(), std::multiplies<>());
  return result;
}

Vector divided(const Vector& x, const Vector& y) {
  Vector result(x);
  std::ranges::transform(x, y, result.begin(), std::divides<>());
  return result;
}

double product(const Vector& x, const Vector& y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0); }

double norm(const Vector& x) { return std::sqrt(product(x, x)); }

struct Solved {
  SolveResult result;
  Vector x;
};

template <MemorySpace S>
Solved solve(Context<S>& ctx, const CsrMatrix<double, Host>& A, const Vector& b, const AmgOptions& amg,
             const SolverOptions& options, Index columns = 1, const Vector& guess = {}) {
  AmgSolver<double, S> solver(amg, options);
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  auto x = reference::upload(ctx, guess.empty() ? Vector(b.size()) : guess, columns);
  SolveResult result = solver.solve(ctx, reference::upload(ctx, b, columns).view(), x);
  return {std::move(result), reference::download(ctx, x)};
}

CsrMatrix<double, Host> laplacian(Context<Host>& host, Boundary boundary) {
  GeneratedProblem problem = reference::poisson(reference::grid({40, 41}), Discretization::fd);
  problem.boundary = boundary;
  return generate_matrix<double>(host, problem);
}

/// Both x are as large in the one unit as in the other.
TYPED_TEST(Verdicts, OfARegularMatrixAreTheSameInAnyUnits) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto K = laplacian(host, Boundary::dirichlet);
  const Vector units = random_units(K.rows, 27);
  const Vector b(static_cast<std::size_t>(K.rows), 1.0);
  SolverOptions tight;
  tight.tolerance = 1e-13;
  const Vector expected = solve(ctx, K, divided(b, units), {}, tight).x;
  for (const Method method : {Method::cg, Method::fcg, Method::minres}) {
    for (const Stopping stopping : {Stopping::attainable, Stopping::strict}) {
      SolverOptions options;
      options.method = method;
      options.stopping = stopping;
      const Solved solved = solve(ctx, in_units(host, K, units), b, {}, options);
      EXPECT_EQ(solved.result.reason, stopping == Stopping::strict ? StopReason::stagnated : StopReason::attained)
          << name(method) << ": " << describe(solved.result.reason);
      ASSERT_TRUE(solved.result.scaled);
      EXPECT_LE(solved.result.scaled->relative_residual, 1e-9);
      Vector error = times(solved.x, units);
      std::ranges::transform(error, expected, error.begin(), std::minus<>());
      EXPECT_LE(norm(error), 1e-9 * norm(expected)) << name(method);
    }
  }
}

TYPED_TEST(Verdicts, OfASingularMatrixInOtherUnitsFindItsNullVector) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto K = laplacian(host, Boundary::neumann);
  const Vector b = reference::random_values<double>(static_cast<std::size_t>(K.rows), 5);
  for (const int most : {1, 4, 10}) {
    const Vector units = random_units(K.rows, most);
    const Vector z = divided(Vector(b.size(), 1.0), units);
    const auto A = in_units(host, K, units);
    for (const Method method : {Method::cg, Method::fcg}) {
      SolverOptions options;
      options.method = method;
      const Solved solved = solve(ctx, A, b, {}, options);
      EXPECT_LE(solved.result.reason, StopReason::attained) << most << ": " << describe(solved.result.reason);
      EXPECT_EQ(solved.result.null_vectors_found, 1) << most;
      EXPECT_NEAR(solved.result.outside_range, std::abs(product(z, b)) / norm(z) / norm(b), 1e-9);
      EXPECT_EQ(solved.result.given_up, 0);
    }
  }
}

// A b in the range beside it has no need of what is found.
TYPED_TEST(Verdicts, FindNullVectorsOfTheColumnsThatShowThem) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto K = laplacian(host, Boundary::neumann);
  const auto n = static_cast<std::size_t>(K.rows);
  const Vector units = random_units(K.rows, 2);
  const auto A = in_units(host, K, units);
  const Vector any = reference::random_values<double>(n, 5);
  const Vector y = reference::random_values<double>(n, 6);
  const Vector in_range = reference::naive_spmv(A, y, 1).values;
  Vector b(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    b[2 * i] = any[i];
    b[2 * i + 1] = in_range[i];
  }
  const Solved solved = solve(ctx, A, b, {}, {}, 2);
  EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
  EXPECT_EQ(solved.result.null_vectors_found, 1);
  EXPECT_EQ(solved.result.outside_column, 0);
}

/// A mass term far above rounding errors makes it regular.
TYPED_TEST(Verdicts, OfANearlySingularMatrixLeaveNothingOut) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  auto K = laplacian(host, Boundary::neumann);
  for (std::size_t i = 0; i < static_cast<std::size_t>(K.rows); ++i) {
    for (auto k = static_cast<std::size_t>(K.row_offsets[i]); k < static_cast<std::size_t>(K.row_offsets[i + 1]); ++k) {
      K.values[k] += K.col_indices[k] == static_cast<Index>(i) ? 1e-11 : 0.0;
    }
  }
  const Vector b = reference::random_values<double>(static_cast<std::size_t>(K.rows), 5);
  const Solved solved = solve(ctx, in_units(host, K, random_units(K.rows, 4)), b, {}, {});
  EXPECT_EQ(solved.result.null_vectors_found, 0);
  EXPECT_EQ(solved.result.outside_range, 0.0);
}

TYPED_TEST(Verdicts, HandOverNothingWorseThanZero) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto K = laplacian(host, Boundary::dirichlet);
  AmgOptions diverging;
  diverging.smoother.type = SmootherType::jacobi;
  diverging.smoother.damping = 3.0;
  SolverOptions options;
  options.method = Method::amg;
  const Vector b = reference::random_values<double>(static_cast<std::size_t>(K.rows), 5);
  const Solved solved = solve(ctx, K, b, diverging, options, 1, b);
  EXPECT_EQ(solved.result.reason, StopReason::diverged) << describe(solved.result.reason);
  EXPECT_EQ(solved.result.given_up, 1);
  EXPECT_EQ(solved.result.relative_residual, 1.0);
  EXPECT_EQ(solved.result.residual_history.back(), 1.0);
  EXPECT_EQ(norm(solved.x), 0.0);
}

}  // namespace
}  // namespace amgsolve
