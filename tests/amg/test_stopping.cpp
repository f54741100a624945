#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "amg/convergence.hpp"
#include "amg/iterative_method.hpp"
#include "amg/solver.hpp"
#include "core/vector_error.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/random.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// When an iteration ends and what it is then called: nothing that is not so, whatever the size of the numbers.
namespace amgsolve {
namespace {

constexpr double u = std::numeric_limits<double>::epsilon() / 2.0;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Column j times its factor.
template <class T>
std::vector<T> scaled(std::vector<T> x, const std::vector<double>& factors) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<T>(static_cast<double>(x[i]) * factors[i % factors.size()]);
  }
  return x;
}

template <class T>
struct Solved {
  SolveResult result;
  std::vector<T> x;
};

template <class T, MemorySpace S>
Solved<T> solve(Context<S>& ctx, const CsrMatrix<T, Host>& A, const std::vector<T>& b, const std::vector<T>& guess,
                Index columns, const AmgOptions& amg, const SolverOptions& options) {
  AmgSolver<T, S> solver(amg, options);
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  auto x = reference::upload(ctx, guess, columns);
  Solved<T> solved;
  solved.result = solver.solve(ctx, reference::upload(ctx, b, columns).view(), x);
  solved.x = reference::download(ctx, x);
  return solved;
}

template <class T>
CsrMatrix<T, Host> times(Context<Host>& host, const CsrMatrix<T, Host>& A, double factor) {
  auto result = convert_values<T>(host, A);
  for (T& value : result.values.span()) {
    value = static_cast<T>(static_cast<double>(value) * factor);
  }
  return result;
}

template <class I>
class Scales : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Scales, reference::Instances, reference::InstanceNames);

template <class I>
class IterationLimit : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(IterationLimit, reference::Instances, reference::InstanceNames);

template <class I>
class StoppingInDouble : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(StoppingInDouble, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(Scales, OfMatrixAndVectorsChangeNoBitButTheExponents) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({50, 40}), Discretization::fd));
  const auto n = static_cast<std::size_t>(A.rows);
  const auto b = reference::random_values<T>(2 * n, 3);
  const auto guess = reference::random_values<T>(2 * n, 4);
  const bool is_double = sizeof(T) == sizeof(double);
  // Even ones, with which square roots of diagonal entries change by powers of two, too.
  const std::vector<int> exponents = is_double ? std::vector{-560, -200, 500} : std::vector{-84, 70};
  SolverOptions options;
  options.tolerance = is_double ? 1e-8 : 1e-4;
  for (const StrengthMeasure measure : {StrengthMeasure::signed_relative, StrengthMeasure::symmetric}) {
    for (const Precision precision : {Precision::same, Precision::mixed}) {
      AmgOptions amg;
      amg.coarse_size = 100;
      amg.precision = precision;
      amg.strength.measure = measure;
      const Solved<T> plain = solve<T>(ctx, A, b, guess, 2, amg, options);
      EXPECT_EQ(plain.result.reason, StopReason::converged);
      for (const int of_A : exponents) {
        // x is of the size of b / A.
        for (const int of_x : is_double ? std::vector{-450, 0, 480} : std::vector{-40, 0, 40}) {
          const std::vector<double> x_scales{std::ldexp(1.0, of_x), std::ldexp(1.0, of_x / 3)};
          const std::vector<double> b_scales{std::ldexp(x_scales[0], of_A), std::ldexp(x_scales[1], of_A)};
          const double largest = is_double ? 0x1p1000 : 0x1p120;
          if (b_scales[0] > largest || b_scales[0] < 1.0 / largest) {
            continue;
          }
          const Solved<T> solved = solve<T>(ctx, times(host, A, std::ldexp(1.0, of_A)), scaled(b, b_scales),
                                            scaled(guess, x_scales), 2, amg, options);
          EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
          EXPECT_EQ(solved.result.residual_history, plain.result.residual_history) << of_A << ' ' << of_x;
          EXPECT_EQ(solved.result.backward_error, plain.result.backward_error);
          EXPECT_EQ(solved.x, scaled(plain.x, x_scales)) << of_A << ' ' << of_x;
        }
      }
    }
  }
}

TYPED_TEST(Scales, OfColumnsAreApart) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const bool is_double = sizeof(T) == sizeof(double);
  const auto laplacian = generate_matrix<T>(host, reference::poisson(reference::grid({20, 20}), Discretization::fd));
  const auto A = times(host, laplacian, is_double ? 1e-10 : 1e-3);
  const std::vector<T> ones(2 * static_cast<std::size_t>(A.rows), T{1});
  SolverOptions options;
  options.tolerance = is_double ? 1e-8 : 1e-4;
  for (const double large : is_double ? std::vector{1e150, 1e290} : std::vector{1e32}) {
    for (const auto& scales : {std::vector{large, 1.0}, std::vector{1.0, large}, std::vector{1.0 / large, large}}) {
      const auto solved = solve<T>(ctx, A, scaled(ones, scales), scaled(ones, {0.0}), 2, {}, options);
      EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
      const auto alone = solve<T>(ctx, A, ones, scaled(ones, {0.0}), 2, {}, options);
      for (std::size_t i = 0; i < ones.size(); ++i) {
        const double x = static_cast<double>(solved.x[i]) / scales[i % 2];
        ASSERT_NEAR(x, static_cast<double>(alone.x[i]), 1e-2 * static_cast<double>(alone.x[i]));
      }
    }
  }
}

TYPED_TEST(Scales, TheTrueResidualIsOfEveryRow) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({70, 60}), Discretization::fd));
  const auto n = static_cast<std::size_t>(A.rows);
  SolverOptions options;
  options.max_iterations = 0;
  for (const StorageEntry& entry : storages) {
    AmgOptions amg;
    amg.storage = entry.storage;
    AmgSolver<T, S> solver(amg, options);
    solver.setup(ctx, reference::upload(ctx, borrow(A)));
    // The ends of the matrix, of a slice of rows and of a block of sums.
    for (const std::size_t row : {std::size_t{0}, std::size_t{31}, std::size_t{32}, std::size_t{4095}, n - 1}) {
      std::vector<T> b(n, T{0});
      b[row] = T{3};
      auto x = reference::upload(ctx, std::vector<T>(n, T{0}));
      const SolveResult result = solver.solve(ctx, reference::upload(ctx, b).view(), x);
      EXPECT_EQ(result.reason, StopReason::max_iterations) << row;
      EXPECT_EQ(result.relative_residual, 1.0) << row;
      EXPECT_EQ(result.backward_error, 1.0) << row;
    }
  }
}

/// A method that leaves x as it is and calls that solved.
template <class T, MemorySpace S>
class Idle : public IterativeMethod<T, S> {
 public:
  void restart(Context<S>& /*ctx*/, Span<const double, S> /*units*/) override {}
  void step(Context<S>& /*ctx*/, MultiVectorView<T, S> /*x*/, MultiVectorView<T, S> /*r*/,
            std::span<StepOutcome> columns) override {
    for (StepOutcome& column : columns) {
      column = {0.0, {}};
    }
  }
};

TYPED_TEST(Scales, ARowOfMoreEntriesMayRoundMore) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  SolverOptions options;
  options.tolerance = 0.0;
  for (const Index length : {4, 400}) {
    // All entries 1, x = 1 and b = length (1 + δ): the backward error is δ / (2 + δ) in every row.
    std::vector<reference::Entry> ones;
    for (Index k = 0; k < length * length; ++k) {
      ones.push_back({k / length, k % length, 1.0});
    }
    const auto A = reference::upload(ctx, reference::matrix_from_entries<T>(host, length, length, ones));
    const double level = (length + 3.0) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2.0;
    for (const double levels : {0.5, 4.0}) {
      const double rhs = length * (1.0 + 2.0 * levels * level);
      const std::vector<T> b(static_cast<std::size_t>(length), static_cast<T>(rhs));
      auto x = reference::upload(ctx, std::vector<T>(b.size(), T{1}));
      Idle<T, S> method;
      const SolveResult result =
          iterate<T, S>(ctx, Operator<T, S>(ctx, borrow(A)), method, reference::upload(ctx, b).view(), x, options);
      EXPECT_EQ(result.reason, levels < 1.0 ? StopReason::attained : StopReason::stagnated) << length << ' ' << levels;
      EXPECT_NEAR(result.backward_error, levels * level, 0.2 * levels * level);
    }
  }
}

TYPED_TEST(Scales, OfCandidatesDoNotMatter) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({40, 40}), Discretization::fd));
  const std::vector<T> ones(static_cast<std::size_t>(A.rows), T{1});
  const double far = sizeof(T) == sizeof(double) ? 0x1p-700 : 0x1p-100;
  for (const Precision precision : {Precision::same, Precision::mixed}) {
    std::vector<SolveResult> results;
    for (const double scale : {1.0, far, 1.0 / far}) {
      AmgOptions amg;
      amg.coarse_size = 50;
      amg.precision = precision;
      AmgSolver<T, S> solver(amg, {});
      const auto candidate = reference::upload(ctx, scaled(ones, {scale}));
      solver.setup(ctx, reference::upload(ctx, borrow(A)), candidate.view());
      auto x = reference::upload(ctx, std::vector<T>(ones.size(), T{0}));
      results.push_back(solver.solve(ctx, reference::upload(ctx, ones).view(), x));
      EXPECT_EQ(results.back().iterations, results.front().iterations) << scale;
      EXPECT_LE(results.back().reason, StopReason::attained);
    }
  }
}

// Near its solution x is so large beside b that a residual of the size of b is a backward error of 1e-4.
TYPED_TEST(IterationLimit, IsWhatEndsASolveThatConverges) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({64, 64}), Discretization::fd));
  const std::vector<T> b(static_cast<std::size_t>(A.rows), T{1});
  const std::vector<T> zero(b.size(), T{0});
  AmgOptions amg;
  amg.coarse_size = 100;
  for (const Method method : {Method::cg, Method::fgmres, Method::amg}) {
    for (const int limit : {1, 2, 3}) {
      SolverOptions options;
      options.method = method;
      options.max_iterations = limit;
      options.tolerance = 1e-6;
      const auto solved = solve<T>(ctx, A, b, zero, 1, amg, options);
      EXPECT_EQ(solved.result.reason, StopReason::max_iterations) << describe(solved.result.reason);
      EXPECT_EQ(solved.result.iterations, limit);
    }
  }
}

// Beside what a round began with a column may be rounding before it has converged: the next round goes on.
TYPED_TEST(IterationLimit, IsNotReachedByColumnsThatIdle) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({60, 60}), Discretization::fd));
  const auto n = static_cast<std::size_t>(A.rows);
  const double factor = sizeof(T) == sizeof(double) ? 1e10 : 300.0;
  SolverOptions options;
  options.tolerance = sizeof(T) == sizeof(double) ? 1e-10 : 1e-5;
  for (const Method method : {Method::minres, Method::bicgstab}) {
    options.method = method;
    for (unsigned seed = 0; seed < 12; ++seed) {
      const auto guess = scaled(reference::random_values<T>(n, seed), {factor});
      const auto solved = solve<T>(ctx, A, reference::random_values<T>(n, 9), guess, 1, {}, options);
      EXPECT_LE(solved.result.reason, StopReason::attained) << describe(solved.result.reason);
      EXPECT_LE(solved.result.iterations, 100);
    }
  }
}

TYPED_TEST(StoppingInDouble, RowsTooFarApartForFloatAreKeptInDouble) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto laplacian =
      generate_matrix<double>(host, reference::poisson(reference::grid({30, 30}), Discretization::fd));
  const std::vector<double> ones(static_cast<std::size_t>(laplacian.rows), 1.0);
  const std::vector<double> zero(ones.size(), 0.0);
  AmgOptions amg;
  amg.coarse_size = 50;
  amg.precision = Precision::mixed;
  // One unknown that hangs together with no other.
  for (const double alone : {1e30, 1e60}) {
    auto A = convert_values<double>(host, laplacian);
    for (std::size_t i = 0; i < ones.size(); ++i) {
      for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]);
           ++k) {
        const auto j = static_cast<std::size_t>(A.col_indices[k]);
        A.values[k] = i == 450 && j == 450 ? alone : i == 450 || j == 450 ? 0.0 : A.values[k];
      }
    }
    const auto solved = solve<double>(ctx, A, ones, zero, 1, amg, {});
    EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
    EXPECT_LE(solved.result.iterations, 15);
  }
}

TYPED_TEST(StoppingInDouble, AGuessOfAnySizeIsMended) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<double>(host, reference::poisson(reference::grid({30, 30}), Discretization::fd));
  const std::vector<double> ones(static_cast<std::size_t>(A.rows), 1.0);
  const auto guess = scaled(reference::random_values<double>(ones.size(), 1), {1e200});
  const auto solved = solve<double>(ctx, A, ones, guess, 1, {}, {});
  EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
  EXPECT_LE(solved.result.relative_residual, 1e-8);
}

/// D A D with D alternating between d and 1 / d.
CsrMatrix<double, Host> alternately_scaled(Context<Host>& host, const CsrMatrix<double, Host>& A, double d) {
  return reference::in_units(convert_values<double>(host, A), [d](Index i) { return i % 2 == 0 ? d : 1.0 / d; });
}

TYPED_TEST(StoppingInDouble, AResidualMayGrowOnTheWay) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto laplacian =
      generate_matrix<double>(host, reference::poisson(reference::grid({60, 61}), Discretization::fd));
  const std::vector<double> ones(static_cast<std::size_t>(laplacian.rows), 1.0);
  const std::vector<double> zero(ones.size(), 0.0);
  for (const double d : {1e3, 1e5}) {
    const auto solved = solve<double>(ctx, alternately_scaled(host, laplacian, d), ones, zero, 1, {}, {});
    // Rounding errors of the large rows are more than the tolerance allows the small ones.
    EXPECT_LE(solved.result.reason, StopReason::attained) << describe(solved.result.reason);
    EXPECT_LE(solved.result.iterations, 100);
  }
}

TYPED_TEST(StoppingInDouble, WhatRoundingForbidsIsAttainedOrStagnates) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<double>(host, reference::poisson(reference::grid({80, 80}), Discretization::fd));
  const std::vector<double> b = reference::random_values<double>(static_cast<std::size_t>(A.rows), 5);
  const std::vector<double> zero(b.size(), 0.0);
  for (const Method method : {Method::cg, Method::fcg, Method::amg}) {
    for (const Stopping stopping : {Stopping::attainable, Stopping::strict}) {
      SolverOptions options;
      options.method = method;
      options.stopping = stopping;
      options.tolerance = 0.0;
      const auto solved = solve<double>(ctx, A, b, zero, 1, {}, options);
      EXPECT_EQ(solved.result.reason, stopping == Stopping::strict ? StopReason::stagnated : StopReason::attained)
          << describe(solved.result.reason);
      EXPECT_LE(solved.result.backward_error, 8.0 * u);
      EXPECT_LT(solved.result.iterations, 100);
    }
  }
}

/// A chain of cells, of conductance 1 or `high` by chance, with nothing at its ends: singular.
CsrMatrix<double, Host> chain_of_jumps(Context<Host>& host, Index n, double high, unsigned seed) {
  const std::vector<double> chance = reference::random_values<double>(static_cast<std::size_t>(n), seed);
  const auto conductance = [&](Index i) { return chance[static_cast<std::size_t>(i)] < 0.0 ? 1.0 : high; };
  std::vector<reference::Entry> entries;
  double before = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double after =
        i + 1 < n ? 2.0 * conductance(i) * conductance(i + 1) / (conductance(i) + conductance(i + 1)) : 0.0;
    if (i > 0) {
      entries.push_back({i, i - 1, -before});
    }
    entries.push_back({i, i, before + after});
    if (i + 1 < n) {
      entries.push_back({i, i + 1, -after});
    }
    before = after;
  }
  return reference::matrix_from_entries<double>(host, n, n, entries);
}

/// Rounded entries of strong cells make such a matrix indefinite as far as its weak couplings see, and leave a solve
/// nothing to gain long before a tolerance is met.
TYPED_TEST(StoppingInDouble, RoundingErrorsOfStrongCellsEndNoSetupAndNoSolveLate) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  AmgOptions small_levels;
  small_levels.coarse_size = 20;
  small_levels.direct_solve_limit = 20;
  small_levels.precision = Precision::same;
  for (const auto& [n, high] : {std::pair{4000, 1e4}, {4000, 1e8}, {20000, 1e8}}) {
    for (const AmgOptions& options : {AmgOptions{}, small_levels}) {
      for (const unsigned seed : {1U, 2U, 3U}) {
        const auto A = chain_of_jumps(host, n, high, seed);
        std::vector<double> b = reference::random_values<double>(static_cast<std::size_t>(n), 7);
        const double mean = std::accumulate(b.begin(), b.end(), 0.0) / n;
        std::ranges::for_each(b, [&](double& value) { value -= mean; });
        const auto solved = solve<double>(ctx, A, b, std::vector<double>(b.size()), 1, options, {});
        EXPECT_LE(solved.result.reason, StopReason::attained) << describe(solved.result.reason);
        EXPECT_LE(solved.result.iterations, 20 + 2 * stalled_iterations) << n << " cells of " << high;
      }
    }
  }
}

/// Second differences that take the constant to zero.
CsrMatrix<double, Host> singular(Context<Host>& host, const StructuredGrid& grid) {
  GeneratedProblem problem = reference::poisson(grid, Discretization::fd);
  problem.boundary = Boundary::neumann;
  return generate_matrix<double>(host, problem);
}

TYPED_TEST(StoppingInDouble, ASingularMatrixIsCalledOne) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // Its null vector is not the constant, which it is tried with.
  const auto A = alternately_scaled(host, singular(host, reference::grid({12, 10})), 3.0);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  const std::vector<double> zero(b.size(), 0.0);
  for (const Method method : {Method::cg, Method::amg}) {
    SolverOptions options;
    options.method = method;
    const auto solved = solve<double>(ctx, A, b, zero, 1, {}, options);
    EXPECT_EQ(solved.result.reason, StopReason::singular) << describe(solved.result.reason);
  }
}

// Directions as large as the reciprocal of a rounding error lead away from the best x.
TYPED_TEST(StoppingInDouble, ASingularMatrixLeavesXAsGoodAsItWas) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = alternately_scaled(host, singular(host, reference::grid({16, 16})), 3.0);
  const std::vector<double> b = reference::random_values<double>(static_cast<std::size_t>(A.rows), 5);
  const std::vector<double> zero(b.size(), 0.0);
  for (const Method method : {Method::minres, Method::gmres, Method::fgmres}) {
    for (const Index coarse_size : {20, 500}) {
      AmgOptions amg;
      amg.coarse_size = coarse_size;
      amg.precision = Precision::same;
      SolverOptions options;
      options.method = method;
      const auto solved = solve<double>(ctx, A, b, zero, 1, amg, options);
      if (solved.result.null_vectors_found > 0) {  // in the x that this was
        EXPECT_LE(solved.result.reason, StopReason::attained) << describe(solved.result.reason);
        EXPECT_GT(solved.result.outside_range, 1e-3);
      } else {
        EXPECT_GE(solved.result.reason, StopReason::exhausted) << describe(solved.result.reason);
      }
      if (method != Method::minres) {  // which takes the norm of M⁻¹ for its measure, and M is singular, too
        EXPECT_LE(solved.result.relative_residual, 1.0);
      }
      EXPECT_LT(solved.result.iterations, options.max_iterations);
    }
  }
}

// What is left of b is what the factored matrix takes to nothing.
TYPED_TEST(StoppingInDouble, AStepOfNothingIsTheLast) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = alternately_scaled(host, singular(host, reference::grid({15, 10})), 3.0);
  const auto n = static_cast<std::size_t>(A.rows);
  const std::vector<double> zero(n, 0.0);
  const auto y = reference::random_values<double>(n, 4);
  std::vector<double> b(n);
  for (std::size_t i = 0; i < n; ++i) {
    b[i] = i % 2 == 0 ? 1e-6 / 3.0 : 3e-6;  // the null vector
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      b[i] += A.values[k] * y[static_cast<std::size_t>(A.col_indices[k])];
    }
  }
  for (const Method method : {Method::cg, Method::amg}) {
    SolverOptions options;
    options.method = method;
    const auto solved = solve<double>(ctx, A, b, zero, 1, {}, options);
    EXPECT_GT(solved.result.reason, StopReason::max_iterations) << describe(solved.result.reason);
    EXPECT_LE(solved.result.iterations, 100);
  }
}

TYPED_TEST(StoppingInDouble, ARefusedRightHandSideLeavesTheGuess) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = singular(host, reference::grid({40, 30}));
  AmgSolver<double, S> solver({}, {});
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  b[7] = nan;
  const auto rhs = reference::upload(ctx, b);
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 5.0, x);
  EXPECT_THROW(solver.solve(ctx, rhs, x), VectorError);
  const std::vector<double> fives(b.size(), 5.0);
  EXPECT_EQ(reference::download(ctx, std::as_const(x).view().span()), fives);
}

/// Also of a singular matrix, whose b is projected, and of one by field, which is solved in another order.
TYPED_TEST(StoppingInDouble, TheRowOfWhatIsNotFiniteIsNamed) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  GeneratedProblem body = reference::poisson(reference::grid({12, 12}), Discretization::q1);
  body.pde = Pde::elasticity;
  const auto refusals = [&](const CsrMatrix<double, Host>& A, const AmgOptions& amg) {
    AmgSolver<double, S> solver(amg, {});
    solver.setup(ctx, reference::upload(ctx, borrow(A)));
    const std::vector<double> good(static_cast<std::size_t>(A.rows), 1.0);
    std::vector<double> bad = good;
    bad[7] = nan;
    bad[9] = nan;
    std::vector<std::string> messages;
    for (const bool is_rhs : {true, false}) {
      const auto b = reference::upload(ctx, is_rhs ? bad : good);
      auto x = reference::upload(ctx, is_rhs ? good : bad);
      try {
        solver.solve(ctx, b.view(), x.view());
      } catch (const VectorError& error) {
        messages.emplace_back(error.what());
      }
    }
    return messages;
  };
  const std::vector<std::string> expected = {"the right-hand side is NaN or infinite in row 8, counted from 1",
                                             "the initial guess is NaN or infinite in row 8, counted from 1"};
  const auto by_node = generate_matrix<double>(host, body);
  EXPECT_EQ(refusals(by_node, {}), expected);
  AmgOptions by_field;
  by_field.unknowns = Numbering::by_field;
  by_field.block_size = 2;
  EXPECT_EQ(refusals(reference::by_field(host, by_node, 2), by_field), expected);
  EXPECT_EQ(refusals(singular(host, reference::grid({40, 30})), {}), expected);
}

}  // namespace
}  // namespace amgsolve
