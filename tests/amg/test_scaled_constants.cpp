#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "amg/check_matrix.hpp"
#include "amg/constants_check.hpp"
#include "amg/matrix_analysis.hpp"
#include "amg/solver.hpp"
#include "amg/tentative.hpp"
#include "bench/robustness_problems.hpp"
#include "core/timer.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/penalties.hpp"
#include "tests/reference/reuse.hpp"
#include "tests/reference/spaces.hpp"

/// Near-nullspaces of systems whose unknowns are in units of their own.
namespace amgsolve {
namespace {

using Matrix = CsrMatrix<double, Host>;
using reference::grid;
using reference::has_note;
using reference::poisson;

constexpr const char* note_of_scaling = "rows differ in size: the near-nullspace is 1 / sqrt(a_ii)";

/// S A S with units from 10^−most to 10^most.
Matrix in_random_units(Matrix A, double most) {
  const std::vector<double> exponents = reference::random_values<double>(static_cast<std::size_t>(A.rows), 5);
  return reference::in_units(std::move(A),
                             [&](Index i) { return std::pow(10.0, most * exponents[static_cast<std::size_t>(i)]); });
}

Matrix generated(Context<Host>& host, const StructuredGrid& on, Discretization discretization,
                 Boundary boundary = Boundary::dirichlet, Pde pde = Pde::poisson) {
  GeneratedProblem problem = poisson(on, discretization);
  problem.boundary = boundary;
  problem.pde = pde;
  return generate_matrix<double>(host, problem);
}

Matrix with_jumps(Context<Host>& host, const StructuredGrid& on, CoefficientType type, std::int64_t block,
                  double high) {
  GeneratedProblem problem = poisson(on, Discretization::fd);
  problem.pde = Pde::diffusion;
  problem.coefficient.type = type;
  problem.coefficient.block = block;
  problem.coefficient.high = high;
  return generate_matrix<double>(host, problem);
}

template <class T>
constexpr double tolerance_in = sizeof(T) == sizeof(double) ? 1e-8 : 1e-4;

/// A right-hand side, and what a solve makes of zero.
template <class T, MemorySpace S>
reference::Solve<T> solve(Context<S>& ctx, AmgSolver<T, S>& solver, Index rows) {
  const MultiVector<T, S> b = reference::upload(ctx, reference::random_values<T>(static_cast<std::size_t>(rows), 7));
  MultiVector<T, S> x(ctx, rows);
  fill<T>(ctx, T{0}, x);
  reference::Solve<T> solved{solver.solve(ctx, b.view(), x), {}};
  EXPECT_LE(solved.result.reason, StopReason::attained) << describe(solved.result.reason);
  solved.x = reference::download(ctx, x);
  return solved;
}

/// By default options, to a tolerance that T has room for.
template <class T, MemorySpace S>
SolveResult default_solve(Context<S>& ctx, const CsrMatrix<T, S>& A, const AmgOptions& amg = {}) {
  AmgSolver<T, S> solver(amg, {.tolerance = tolerance_in<T>});
  const ScopedTimer timer(ctx, "test");
  solver.setup(ctx, borrow(A));
  return solve(ctx, solver, A.rows).result;
}

/// The candidates that A, of a node's unknowns, would have in the place of constants.
template <class T, MemorySpace S>
std::optional<MultiVector<T, S>> scaled(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size = 1) {
  MultiVector<T, S> constants(ctx, A.rows, block_size);
  fill_constant_candidates<T>(ctx, constants);
  return scaled_constants(ctx, A, check_matrix<T>(ctx, A).magnitudes, constants);
}

template <class I>
class ScaledConstants : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(ScaledConstants, reference::Instances, reference::InstanceNames);

template <class I>
class ScaledConstantsInDouble : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(ScaledConstantsInDouble, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(ScaledConstants, AreOneOverTheRootsOfTheDiagonal) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const double most : {0.3, 3.0, 8.0}) {
    SCOPED_TRACE(testing::Message() << "units 1e+-" << most);
    const auto body = generated(host, grid({20, 21}), Discretization::q1, Boundary::dirichlet, Pde::elasticity);
    const auto in_double = in_random_units(convert_values<double>(host, body), most);
    const auto A = convert_values<T>(host, in_double);
    const auto found = scaled(ctx, reference::upload(ctx, borrow(A)), 2);
    ASSERT_TRUE(found.has_value());
    const std::vector<T> B = reference::download(ctx, *found);
    const auto diagonal = diagonal_of(host, A);
    const double factor = static_cast<double>(B[0]) * std::sqrt(static_cast<double>(diagonal[0]));
    EXPECT_NEAR(std::log2(factor), std::round(std::log2(factor)), 1e-5);
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      const double expected = factor / std::sqrt(static_cast<double>(diagonal[i]));
      EXPECT_NEAR(B[2 * i + i % 2], expected, 8.0 * static_cast<double>(std::numeric_limits<T>::epsilon()) * expected);
      EXPECT_EQ(B[2 * i + 1 - i % 2], T{0});
    }
  }
}

// In about as many iterations as in one unit: what differs is the norm of the residual.
TYPED_TEST(ScaledConstants, SolveSystemsInAnyUnits) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  std::vector<Matrix> all;
  all.push_back(generated(host, grid({80, 81}), Discretization::fd));
  all.push_back(generated(host, grid({16, 17, 18}), Discretization::q1));
  all.push_back(generated(host, grid({40, 41}), Discretization::q1, Boundary::dirichlet, Pde::elasticity));
  for (const Matrix& in_one : all) {
    SCOPED_TRACE(testing::Message() << in_one.rows << " rows");
    Context<S> ctx;
    const SolveResult as_it_is = default_solve(ctx, reference::upload(ctx, convert_values<T>(host, in_one)));
    EXPECT_FALSE(has_note(ctx.profile(), note_of_scaling));
    for (const double most : {0.2, 1.0, 2.0}) {
      const auto A = in_random_units(convert_values<double>(host, in_one), most);
      const SolveResult result = default_solve(ctx, reference::upload(ctx, convert_values<T>(host, A)));
      EXPECT_TRUE(has_note(ctx.profile(), note_of_scaling));
      EXPECT_LE(result.iterations, 2 * as_it_is.iterations + 12) << "units 1e+-" << most;
    }
  }
}

TYPED_TEST(ScaledConstantsInDouble, ConvergeAsFastWhateverTheUnits) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const Index n : {64, 128, 256}) {
    const auto A = in_random_units(generated(host, grid({n, n}), Discretization::fd), 1.0);
    const SolveResult result = default_solve(ctx, reference::upload(ctx, borrow(A)));
    EXPECT_LE(result.convergence_factor, 0.25) << n;
    EXPECT_FALSE(result.slow.has_value());
  }
}

// A hundredth of the rows, which not many others see.
TYPED_TEST(ScaledConstants, SolveSystemsWithAFewRowsInOtherUnits) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto L = generated(host, grid({80, 81}), Discretization::fd);
  const auto A = reference::in_units(convert_values<double>(host, L), [](Index i) { return i % 97 == 0 ? 1e3 : 1.0; });
  EXPECT_LE(default_solve(ctx, reference::upload(ctx, convert_values<T>(host, A))).iterations, 20);
  EXPECT_TRUE(has_note(ctx.profile(), note_of_scaling));
}

// Rows differ in size and the constants are what A takes nearly to zero: they stay.
TYPED_TEST(ScaledConstants, AreNoneWhereTheConstantsServe) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto expect_constants = [&](const char* what, const Matrix& A, Index block_size = 1) {
    EXPECT_FALSE(scaled(ctx, reference::upload(ctx, convert_values<T>(host, borrow(A))), block_size)) << what;
  };
  for (const CoefficientType type :
       {CoefficientType::checkerboard, CoefficientType::random, CoefficientType::inclusions}) {
    for (const std::int64_t block : {1, 2, 8}) {
      for (const double high : {1e2, 1e4, 1e8}) {
        expect_constants("jumps in the plane", with_jumps(host, grid({64, 65}), type, block, high));
        expect_constants("jumps in space", with_jumps(host, grid({16, 17, 18}), type, block, high));
      }
    }
  }
  const std::array<Index, 3> cells{20, 20, 20};
  expect_constants("independent coefficients",
                   bench::finite_volumes(host, cells, bench::harmonic(cells, bench::log_normal(cells, 3.0, 1, 1))));
  expect_constants("stretched cells",
                   bench::finite_volumes(host, cells, bench::stretched(cells, 1e4, {true, true, true})));
  auto penalised = generated(host, grid({20, 20, 20}), Discretization::q1);
  std::vector<double> b(static_cast<std::size_t>(penalised.rows), 1.0);
  reference::add_penalties(penalised, b, 2000, 1e8);
  expect_constants("penalties", penalised);
  for (const double mass : {1e-2, 1.0, 1e2}) {
    // Those of cells that grow, of which the mass is the volume.
    const auto A = bench::finite_volumes(host, cells, bench::stretched(cells, 1e2, {true, true, true}));
    expect_constants("mass terms", reference::changed_entries<double>(host, A, [&](Index i, Index j, double value) {
                       return i == j ? value * (1.0 + mass * std::pow(1.3, i % 20)) : value;
                     }));
  }
  const auto body = generated(host, grid({8, 9, 10}), Discretization::q1, Boundary::clamped_face, Pde::elasticity);
  expect_constants("a body", body, 3);
  // Nothing is known of what takes no vector of one sign to zero.
  const auto L = generated(host, grid({40, 40}), Discretization::fd);
  expect_constants("both signs",
                   in_random_units(reference::changed_entries<double>(host, L,
                                                                      [](Index i, Index j, double value) {
                                                                        return i == j && i % 50 == 0 ? -value : value;
                                                                      }),
                                   2.0));
}

TYPED_TEST(ScaledConstants, SolveNegativeMatricesAndThoseNumberedByField) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  const auto expect_solved = [&](const CsrMatrix<T, Host>& A, const AmgOptions& amg, int most) {
    Context<S> ctx;
    EXPECT_LE(default_solve(ctx, reference::upload(ctx, borrow(A)), amg).iterations, most);
    EXPECT_TRUE(has_note(ctx.profile(), note_of_scaling));
    const auto there = reference::upload(ctx, borrow(A));
    EXPECT_EQ(analyse_matrix<T>(ctx, there, amg).constants.value().modes.modes, Modes::scaled_constants);
  };
  const auto L = in_random_units(generated(host, grid({60, 61}), Discretization::fd), 2.0);
  expect_solved(convert_values<T>(host, L, -1.0), {}, 20);
  const auto body =
      in_random_units(generated(host, grid({40, 41}), Discretization::q1, Boundary::dirichlet, Pde::elasticity), 2.0);
  AmgOptions amg;
  amg.block_size = 2;
  amg.unknowns = Numbering::by_field;
  expect_solved(reference::by_field<T>(host, convert_values<T>(host, body), 2), amg, 40);
}

// Where all rows of A are alike 1 / √a_ii is its null vector, and where they are not it is found.
TYPED_TEST(ScaledConstantsInDouble, KnowNullVectors) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  for (const Boundary boundary : {Boundary::periodic, Boundary::neumann}) {
    Context<S> ctx;
    const auto A = in_random_units(generated(host, grid({40, 42}), Discretization::fd, boundary), 1.0);
    const SolveResult result = default_solve(ctx, reference::upload(ctx, borrow(A)));
    EXPECT_TRUE(has_note(ctx.profile(), note_of_scaling));
    EXPECT_EQ(result.null_vectors_found, boundary == Boundary::neumann ? 1 : 0);
    EXPECT_GT(result.outside_range, 0.0);
    EXPECT_LE(result.iterations, 25);
  }
}

// Levels in float, of a matrix that float has no numbers for.
TYPED_TEST(ScaledConstantsInDouble, AreNumbersInFloat) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  const auto L = generated(host, grid({60, 60}), Discretization::fd);
  for (const double size : {1e-120, 1e-40, 1e40, 1e120}) {
    Context<S> ctx;
    auto A = in_random_units(convert_values<double>(host, L, size), 6.0);
    AmgOptions amg;
    amg.precision = Precision::mixed;
    EXPECT_LE(default_solve(ctx, reference::upload(ctx, borrow(A)), amg).iterations, 20) << size;
    EXPECT_TRUE(has_note(ctx.profile(), note_of_scaling));
  }
}

// New values take the candidates of their own matrix, unless what was made of the first one serves.
TYPED_TEST(ScaledConstants, AreThoseOfTheMatrixThatIsSetUp) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto L = generated(host, grid({50, 51}), Discretization::fd);
  const auto plain = reference::upload(ctx, convert_values<T>(host, L));
  const auto in_units =
      reference::upload(ctx, convert_values<T>(host, in_random_units(convert_values<double>(host, L), 2.0)));
  for (const Reuse reuse : {Reuse::none, Reuse::pattern, Reuse::hierarchy}) {
    for (const auto& [first, second] : {std::pair{&in_units, &in_units}, {&plain, &in_units}, {&in_units, &plain}}) {
      if (first != second && reuse != Reuse::none) {
        continue;
      }
      const auto options = reference::reusing<T>(reuse);
      AmgSolver<T, S> expected({}, options);
      expected.setup(ctx, borrow(*second));
      AmgSolver<T, S> solver({}, options);
      solver.setup(ctx, borrow(*first));
      solver.update_values(ctx, borrow(*second));
      EXPECT_EQ(solve(ctx, solver, L.rows).x, solve(ctx, expected, L.rows).x);
    }
  }
}

// Coordinates of nodes with one unknown tell of no other candidates: a hierarchy that is set up anew has its own.
TYPED_TEST(ScaledConstantsInDouble, AreMadeAnewWhereCoordinatesWereGiven) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto L = generated(host, grid({70, 71}), Discretization::fd);
  const auto coordinates =
      reference::upload(ctx, reference::random_values<double>(2 * static_cast<std::size_t>(L.rows), 3), 2);
  AmgSolver<double, S> solver({}, reference::reusing<double>(Reuse::hierarchy));
  const ScopedTimer timer(ctx, "test");
  solver.setup(ctx, reference::upload(ctx, borrow(L)), {}, coordinates.view());
  const auto A = in_random_units(convert_values<double>(host, L), 2.0);
  solver.update_values(ctx, reference::upload(ctx, borrow(A)));
  EXPECT_TRUE(has_note(ctx.profile(), "set up anew"));
  EXPECT_LE(solve(ctx, solver, L.rows).result.iterations, 20);
}

}  // namespace
}  // namespace amgsolve
