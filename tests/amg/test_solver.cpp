#include "amg/solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/random.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/naive_spmv.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class T>
constexpr double tolerance = sizeof(T) == sizeof(double) ? 1e-10 : 1e-5;

template <class T>
struct Solve {
  SolveResult result;
  std::vector<T> x;
};

/// Solves for a fixed random right-hand side, from zero.
template <class T, MemorySpace S>
Solve<T> solve(Context<S>& ctx, const CsrMatrix<T, Host>& A, const AmgOptions& amg, SolverOptions options,
               Index columns = 1) {
  AmgSolver<T, S> solver(amg, options);
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  MultiVector<T, S> b(ctx, A.rows, columns);
  MultiVector<T, S> x(ctx, A.rows, columns);
  fill_random<T>(ctx, 7, b);
  fill<T>(ctx, T{0}, x);
  Solve<T> solve;
  solve.result = solver.solve(ctx, std::as_const(b), x);
  solve.x = reference::download(ctx, x);
  return solve;
}

CsrMatrix<double, Host> poisson_matrix(Context<Host>& ctx, std::initializer_list<std::int64_t> sizes) {
  return generate_matrix<double>(ctx, reference::poisson(reference::grid(sizes), Discretization::fd));
}

template <class I>
class AmgSolverTest : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(AmgSolverTest, reference::Instances, reference::InstanceNames);

/// The same for what does not depend on the value type.
template <class I>
class AmgSolverInDouble : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(AmgSolverInDouble, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(AmgSolverTest, EveryMethodSmootherAndCycleConvergesToTheTruth) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({60, 50}), Discretization::fd));
  SolverOptions options;
  options.tolerance = tolerance<T>;
  for (const Method method : {Method::cg, Method::fcg, Method::amg}) {
    for (const SmootherType type :
         {SmootherType::jacobi, SmootherType::l1_jacobi, SmootherType::chebyshev, SmootherType::chebyshev_opt_fourth,
          SmootherType::block_jacobi, SmootherType::block_chebyshev, SmootherType::gauss_seidel,
          SmootherType::hybrid_gauss_seidel, SmootherType::gmres_polynomial}) {
      if (type == SmootherType::gmres_polynomial && method != Method::amg) {
        continue;  // need not be definite: see Nonsymmetric.ACycleThatNeedNotBeDefiniteIsForFlexibleGmres
      }
      for (const CycleType cycle : {CycleType::v, CycleType::w, CycleType::f}) {
        for (const Precision precision : {Precision::same, Precision::mixed}) {
          options.method = method;
          AmgOptions amg;
          amg.coarse_size = 20;
          amg.smoother.type = type;
          amg.cycle = cycle;
          amg.precision = precision;
          const Solve<T> solved = solve<T>(ctx, A, amg, options);
          EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
          EXPECT_LE(solved.result.relative_residual, options.tolerance);
          // l1-Jacobi damps less than any other; a Krylov method about takes the root's worth of cycles off.
          const double alone = type == SmootherType::l1_jacobi ? 0.85 : 0.75;
          EXPECT_LT(solved.result.convergence_factor, method == Method::amg ? alone : 0.5);
          EXPECT_EQ(static_cast<int>(solved.result.residual_history.size()), solved.result.iterations + 1);

          // The residual reported, recomputed naively.
          MultiVector<T, Host> b(host, A.rows);
          fill_random<T>(host, 7, b);
          const auto product = reference::naive_spmv<T>(A, solved.x, 1);
          double residual_norm = 0.0;
          double rhs_norm = 0.0;
          for (std::size_t i = 0; i < solved.x.size(); ++i) {
            const double r = static_cast<double>(b.data()[i]) - product.values[i];
            residual_norm += r * r;
            rhs_norm += static_cast<double>(b.data()[i]) * static_cast<double>(b.data()[i]);
          }
          EXPECT_NEAR(solved.result.relative_residual, std::sqrt(residual_norm / rhs_norm),
                      1e-3 * solved.result.relative_residual + 1e-15);
        }
      }
    }
  }
}

/// Of two couplings that are at the threshold and differ by rounding one is strong, the other is not.
TYPED_TEST(AmgSolverTest, SolvesWhatIsSymmetricButForRoundingWithCouplingsAtTheThreshold) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::box_with_ties<T>(host, 16, std::numeric_limits<T>::epsilon());
  SolverOptions options;
  options.tolerance = tolerance<T>;
  AmgOptions amg;
  amg.precision = Precision::same;
  const SolveResult result = solve<T>(ctx, A, amg, options).result;
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LT(result.iterations, 20);
}

TYPED_TEST(AmgSolverTest, SolvesManyRightHandSidesTogetherAsWellAsAlone) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(
      ctx, generate_matrix<T>(host, reference::poisson(reference::grid({40, 41}), Discretization::q1)));
  SolverOptions options;
  options.tolerance = tolerance<T>;
  AmgOptions amg;
  amg.coarse_size = 20;
  const Index k = 3;
  AmgSolver<T, S> solver(amg, options);
  solver.setup(ctx, borrow(A));
  auto b = reference::random_values<T>(static_cast<std::size_t>(A.rows * k), 3);
  const auto column = [&](const std::vector<T>& x, Index j) {
    std::vector<T> result;
    for (auto i = static_cast<std::size_t>(j); i < x.size(); i += static_cast<std::size_t>(k)) {
      result.push_back(x[i]);
    }
    return result;
  };
  // One column is solved from the start.
  for (std::size_t i = 1; i < b.size(); i += static_cast<std::size_t>(k)) {
    b[i] = 0;
  }
  MultiVector<T, S> x_there(ctx, A.rows, k);
  fill<T>(ctx, T{0}, x_there);
  const SolveResult together = solver.solve(ctx, reference::upload(ctx, b, k).view(), x_there);
  const std::vector<T> x = reference::download(ctx, x_there);
  EXPECT_EQ(together.reason, StopReason::converged);
  ASSERT_EQ(together.column_iterations.size(), 3U);
  EXPECT_EQ(together.column_iterations[1], 0);
  for (const T value : column(x, 1)) {
    EXPECT_EQ(value, T{0});
  }
  for (const Index j : {0, 2}) {
    MultiVector<T, S> x_alone_there(ctx, A.rows);
    fill<T>(ctx, T{0}, x_alone_there);
    const SolveResult alone = solver.solve(ctx, reference::upload(ctx, column(b, j)).view(), x_alone_there);
    EXPECT_NEAR(together.column_iterations[static_cast<std::size_t>(j)], alone.iterations, 1);
    const std::vector<T> x_alone = reference::download(ctx, x_alone_there);
    const std::vector<T> x_together = column(x, j);
    double difference = 0.0;
    double norm = 0.0;
    for (std::size_t i = 0; i < x_alone.size(); ++i) {
      difference = std::max(difference, std::abs(static_cast<double>(x_together[i] - x_alone[i])));
      norm = std::max(norm, std::abs(static_cast<double>(x_alone[i])));
    }
    // Both are within the tolerance times the condition number (some 1000) of the solution.
    EXPECT_LT(difference, 1000 * tolerance<T> * norm);
  }
}

TEST(AmgSolver, GivesTheSameBitsForAnyNumberOfThreads) {
  Context<Host> one(1);
  const auto A = poisson_matrix(one, {300, 260});
  for (const auto& [precision, type] :
       {std::pair(Precision::same, SmootherType::automatic), std::pair(Precision::mixed, SmootherType::automatic),
        std::pair(Precision::same, SmootherType::gauss_seidel),
        std::pair(Precision::mixed, SmootherType::block_chebyshev)}) {
    AmgOptions amg;
    amg.precision = precision;
    amg.smoother.type = type;
    const auto expected = solve<double>(one, A, amg, {}, 2);
    for (const int threads : {2, 3, 5}) {
      Context<Host> ctx(threads);
      const auto solved = solve<double>(ctx, A, amg, {}, 2);
      EXPECT_EQ(solved.x, expected.x);
      EXPECT_EQ(solved.result.residual_history, expected.result.residual_history);
    }
  }
}

TYPED_TEST(AmgSolverInDouble, TakesWhatACheckHasFound) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(
      ctx, reference::matrix_from_entries<double>(host, 2, 2, {{0, 0, 2.0}, {0, 1, 1.0}, {1, 0, 0.5}, {1, 1, 2.0}}));
  SolverOptions options;
  options.method = Method::cg;
  AmgSolver<double, S> solver({}, options);
  EXPECT_THROW(solver.setup(ctx, borrow(A)), InputError);
  MatrixFindings findings = check_matrix<double>(ctx, A);
  EXPECT_FALSE(findings.is_symmetric());
  findings.asymmetry = {};
  EXPECT_NO_THROW(solver.setup(ctx, borrow(A), {}, {}, &findings));
}

TYPED_TEST(AmgSolverInDouble, StartsFromTheInitialGuess) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, poisson_matrix(host, {30, 30}));
  AmgSolver<double, S> solver({}, {});
  solver.setup(ctx, borrow(A));
  MultiVector<double, S> b(ctx, A.rows);
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  EXPECT_GT(solver.solve(ctx, std::as_const(b), x).iterations, 0);
  EXPECT_EQ(solver.solve(ctx, std::as_const(b), x).iterations, 0);
}

TYPED_TEST(AmgSolverInDouble, SolvesSingularProblemsWithARightHandSideInTheRange) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const Boundary boundary : {Boundary::neumann, Boundary::periodic}) {
    // Deep hierarchies round off more of the null space.
    for (const StructuredGrid& grid : {reference::grid({48, 40}), reference::grid({150, 140}),
                                       reference::grid({400, 300}), reference::grid({20, 16, 14})}) {
      GeneratedProblem problem = reference::poisson(grid, Discretization::fd);
      problem.boundary = boundary;
      const auto A = reference::upload(ctx, generate_matrix<double>(host, problem));
      std::vector<double> alternating(static_cast<std::size_t>(A.rows));
      for (std::size_t i = 0; i < alternating.size(); ++i) {
        alternating[i] = i % 2 == 0 ? 1.0 : -1.0;  // sums to zero
      }
      const MultiVector<double, S> b = reference::upload(ctx, alternating);
      for (const Precision precision : {Precision::same, Precision::mixed}) {
        MultiVector<double, S> x(ctx, A.rows);
        fill<double>(ctx, 0.0, x);
        AmgOptions amg;
        amg.coarse_size = 30;
        amg.precision = precision;
        AmgSolver<double, S> solver(amg, {});
        solver.setup(ctx, borrow(A));
        const SolveResult result = solver.solve(ctx, b, x);
        EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
        EXPECT_LE(result.iterations, 20);
      }
    }
  }
}

TYPED_TEST(AmgSolverInDouble, DiagonalMatricesNeedNoHierarchy) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < 3000; ++i) {
    entries.push_back({i, i, 1.0 + i % 7});
  }
  const auto A = reference::matrix_from_entries<double>(host, 3000, 3000, entries);
  AmgOptions amg;
  const auto solved = solve<double>(ctx, A, amg, {});
  EXPECT_EQ(solved.result.reason, StopReason::converged);
  EXPECT_LE(solved.result.iterations, 2);
}

TYPED_TEST(AmgSolverInDouble, LevelsTellOfAllMemoryThatTheSolverKeeps) {
  struct Case {
    Precision precision;
    CycleType cycle;
    Method method;
  };
  for (const auto& [precision, cycle, method] : {Case{Precision::same, CycleType::v, Method::cg},
                                                 {Precision::mixed, CycleType::v, Method::cg},
                                                 {Precision::same, CycleType::k, Method::fcg},
                                                 {Precision::same, CycleType::v, Method::minres}}) {
    Context<typename TypeParam::Space> ctx;
    AmgOptions amg;
    amg.precision = precision;
    amg.cycle = cycle;
    amg.coarse_size = 10;  // no direct solver: on the host its memory is not the context's
    amg.max_levels = 2;
    amg.direct_solve_limit = 0;
    SolverOptions options;
    options.method = method;
    AmgSolver<double, typename TypeParam::Space> solver(amg, options);
    solver.setup(ctx, generate_matrix<double>(ctx, reference::poisson(reference::grid({40, 30}), Discretization::fd)));
    std::size_t bytes = 0;
    for (const LevelSummary& level : solver.summary().levels) {
      bytes += level.bytes;
    }
    EXPECT_EQ(ctx.memory().bytes_in_use(), bytes);
  }
}

TYPED_TEST(AmgSolverInDouble, ReportsAnExhaustedIterationAsAResult) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  SolverOptions options;
  options.max_iterations = 2;
  const auto solved = solve<double>(ctx, poisson_matrix(host, {60, 60}), {}, options);
  EXPECT_EQ(solved.result.reason, StopReason::max_iterations);
  EXPECT_EQ(solved.result.iterations, 2);
  EXPECT_GT(solved.result.relative_residual, default_tolerance<double>);
}

TYPED_TEST(AmgSolverInDouble, AdmitsThatRoundingErrorsStopIt) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  SolverOptions options;
  options.tolerance = 1e-12;
  options.stopping = Stopping::strict;
  const auto A = generate_matrix<float>(host, reference::poisson(reference::grid({80, 80}), Discretization::fd));
  const auto solved = solve<float>(ctx, A, {}, options);
  EXPECT_EQ(solved.result.reason, StopReason::stagnated) << describe(solved.result.reason);
  EXPECT_GT(solved.result.relative_residual, options.tolerance);
}

/// The message of the Error that an action throws.
template <class Error>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no exception of that class";
  return {};
}

/// The message of the Error that setup() throws for a matrix of these entries.
template <class Error, MemorySpace S>
std::string refusal(std::vector<reference::Entry> entries, Index rows = 3, Index cols = 3) {
  return message_of<Error>([&] {
    Context<Host> host;
    Context<S> ctx;
    SolverOptions options;
    options.method = Method::cg;
    AmgSolver<double, S> solver({}, options);
    solver.setup(ctx,
                 reference::upload(ctx, reference::matrix_from_entries<double>(host, rows, cols, std::move(entries))));
  });
}

TYPED_TEST(AmgSolverInDouble, RefusesMatricesItIsNotFor) {
  const auto refused = [](std::vector<reference::Entry> entries, Index rows = 3, Index cols = 3) {
    return refusal<InputError, typename TypeParam::Space>(std::move(entries), rows, cols);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused({{0, 0, 1}, {1, 1, 1}}, 2, 3), "the matrix is not square: 2 x 3");
  EXPECT_EQ(refused({}, 0, 0), "the matrix has no rows");
  EXPECT_EQ(refused({{0, 0, 1}, {2, 2, 1}}),
            "row 2 of the matrix is zero: the matrix is singular; leave such "
            "unknowns out, as isolated vertices of a graph, or put 1 on their diagonal");
  EXPECT_EQ(refused({{0, 0, 1}, {1, 1, nan}, {2, 2, 1}}), "the matrix entry in row 2, column 2 is NaN or infinite");
  EXPECT_NE(refused({{0, 0, 1}, {0, 1, 0.5}, {1, 1, 1}, {2, 2, 1}}).find("row 1, column 2 differs from its mirror"),
            std::string::npos);
}

TYPED_TEST(AmgSolverInDouble, RefusesNonPositiveDiagonals) {
  const std::string message = refusal<BreakdownError, typename TypeParam::Space>({{0, 0, 1}, {1, 1, -2}, {2, 2, 1}});
  EXPECT_NE(message.find("row 2"), std::string::npos) << message;
}

TYPED_TEST(AmgSolverInDouble, DetectsAnIndefiniteMatrix) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // Shifted past its smallest eigenvalues; the diagonal stays positive, and one level with smoothing hides nothing.
  auto A = poisson_matrix(host, {60, 60});
  for (Index i = 0; i < A.rows; ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
      A.values[k] -= A.col_indices[k] == i ? 0.5 : 0.0;
    }
  }
  AmgOptions amg;
  amg.max_levels = 1;
  const auto solved = solve<double>(ctx, A, amg, {});
  EXPECT_EQ(solved.result.reason, StopReason::indefinite_matrix) << describe(solved.result.reason);
}

TYPED_TEST(AmgSolverInDouble, NamesSizesThatDoNotMatch) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, poisson_matrix(host, {10, 10}));
  AmgSolver<double, S> solver({}, {});
  std::vector<double> values(100, 0.0);
  MultiVector<double, S> b = reference::upload(ctx, values);
  MultiVector<double, S> x(ctx, 99);
  EXPECT_THROW(solver.solve(ctx, std::as_const(b), b), std::invalid_argument);
  solver.setup(ctx, borrow(A));
  EXPECT_EQ(message_of<std::invalid_argument>([&] { solver.solve(ctx, std::as_const(b), x); }),
            "solving with a 100 x 100 matrix: b is 100 x 1, x is 99 x 1");
  MultiVector<double, S> x_good = reference::upload(ctx, values);
  values[5] = std::numeric_limits<double>::infinity();
  b = reference::upload(ctx, values);
  EXPECT_THROW(solver.solve(ctx, std::as_const(b), x_good), InputError);
  AmgOptions blocks;
  blocks.block_size = 3;
  AmgSolver<double, S> blocked(blocks, {});
  EXPECT_THROW(blocked.setup(ctx, borrow(A)), InputError);
}

}  // namespace
}  // namespace amgsolve
