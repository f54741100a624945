#include "amg/relaxed_constants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "amg/constants_check.hpp"
#include "amg/diagonal.hpp"
#include "amg/matrix_analysis.hpp"
#include "amg/solver.hpp"
#include "amg/spectral_radius.hpp"
#include "amg/tentative.hpp"
#include "bench/robustness_problems.hpp"
#include "core/timer.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/penalties.hpp"
#include "tests/reference/reuse.hpp"
#include "tests/reference/spaces.hpp"

/// Near-nullspaces that smoothing makes of constants.
namespace amgsolve {
namespace {

using Matrix = CsrMatrix<double, Host>;
using reference::grid;
using reference::has_note;
using reference::poisson;

constexpr const char* note_of_relaxation = "A takes constants far from zero: the near-nullspace is relaxed by";

/// Whose diagonal is 1.
Matrix to_unit_diagonal(Context<Host>& host, Matrix A) {
  const auto diagonal = diagonal_of(host, A);
  return reference::in_units(std::move(A),
                             [&](Index i) { return 1.0 / std::sqrt(std::abs(diagonal[static_cast<std::size_t>(i)])); });
}

/// exp(σ N) for each row.
Matrix in_random_units(Matrix A, double sigma) {
  const std::vector<double> units = bench::random_units(A.rows, sigma);
  return bench::in_units(std::move(A), units);
}

Matrix log_normal(Context<Host>& host, std::array<Index, 3> cells, Index correlation = 1) {
  return bench::finite_volumes(host, cells, bench::harmonic(cells, bench::log_normal(cells, 3.0, correlation, 1)));
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

/// Of which a few rows add up to less than zero, as beside boundary nodes behind obtuse elements, and have entries of
/// both signs beside the diagonal.
Matrix with_obtuse_elements(Context<Host>& host) {
  return reference::changed_entries<double>(
      host, bench::trilinear(host, 12, {1.0, 1.0, 1e-3}),
      [](Index i, Index j, double value) { return i == j && i % 37 == 5 ? 0.8 * value : value; });
}

/// Whose rows add up to nothing, but not once they are scaled to a unit diagonal.
Matrix neumann(Context<Host>& host) {
  GeneratedProblem problem = poisson(grid({40, 42}), Discretization::fd);
  problem.boundary = Boundary::neumann;
  return generate_matrix<double>(host, problem);
}

/// Three unknowns a node that are coupled, as the phases of a network.
Matrix three_phases(Context<Host>& host) {
  return bench::random_network(
      host, 2000, 3, [](std::mt19937_64&) { return std::vector<double>{1.0, 0.3, 0.1, 0.3, 1.2, 0.2, 0.1, 0.2, 0.8}; });
}

/// An elastic body whose nodes' coordinates are known.
struct Body {
  Matrix A;
  Index dimensions;
  std::vector<double> coordinates;
};

Body body_on(Context<Host>& host, const StructuredGrid& on) {
  GeneratedProblem problem = poisson(on, Discretization::q1);
  problem.pde = Pde::elasticity;
  problem.boundary = Boundary::clamped_face;
  Matrix A = generate_matrix<double>(host, problem);
  MultiVector<double, Host> coordinates(host, A.rows / on.dimensions, on.dimensions);
  grid_coordinates<double, Host>(host, problem, coordinates);
  return {std::move(A), on.dimensions, reference::download(host, coordinates)};
}

template <class T>
constexpr double tolerance_in = sizeof(T) == sizeof(double) ? 1e-8 : 1e-4;

/// By default options, to a tolerance that T has room for.
template <class T, MemorySpace S>
SolveResult solve(Context<S>& ctx, AmgSolver<T, S>& solver, Index rows, std::vector<T>* solution = nullptr) {
  const MultiVector<T, S> b = reference::upload(ctx, reference::random_values<T>(static_cast<std::size_t>(rows), 7));
  MultiVector<T, S> x(ctx, rows);
  fill<T>(ctx, T{0}, x);
  SolveResult result = solver.solve(ctx, b.view(), x);
  EXPECT_LE(result.reason, StopReason::attained) << describe(result.reason);
  if (solution != nullptr) {
    *solution = reference::download(ctx, x);
  }
  return result;
}

template <class T, MemorySpace S>
SolveResult default_solve(Context<S>& ctx, const Matrix& A, MultiVectorView<const T, S> near_nullspace = {}) {
  Context<Host> host;
  AmgSolver<T, S> solver({}, {.tolerance = tolerance_in<T>});
  const ScopedTimer timer(ctx, "test");
  solver.setup(ctx, reference::upload(ctx, convert_values<T>(host, A)), near_nullspace);
  return solve(ctx, solver, A.rows);
}

template <class T, MemorySpace S>
std::optional<RelaxedConstants<T, S>> relaxed(Context<S>& ctx, const Matrix& A, Index block_size = 1) {
  Context<Host> host;
  MultiVector<T, S> constants(ctx, A.rows, block_size);
  fill_constant_candidates<T>(ctx, constants);
  return relaxed_constants(ctx, reference::upload(ctx, convert_values<T>(host, A)), constants);
}

template <class T, MemorySpace S>
MeanImages images_of_constants(Context<S>& ctx, const Matrix& A) {
  Context<Host> host;
  MultiVector<T, S> constants(ctx, A.rows);
  fill<T>(ctx, T{1}, constants);
  return mean_images(ctx, reference::upload(ctx, convert_values<T>(host, A)), constants);
}

/// Whether products were spent, for something or in vain.
template <MemorySpace S>
bool has_relaxed(Context<S>& ctx) {
  return std::ranges::any_of(ctx.profile().nodes(), [](const auto& node) { return node.phase == "relaxation"; });
}

template <class I>
class RelaxedCandidates : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(RelaxedCandidates, reference::Instances, reference::InstanceNames);

template <class I>
class RelaxedCandidatesInDouble : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(RelaxedCandidatesInDouble, reference::DoubleInstances, reference::InstanceNames);

// Where neither the units nor what A takes to zero can be seen in the diagonal.
TYPED_TEST(RelaxedCandidates, SolveMatricesScaledToAUnitDiagonal) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  const auto expect_solved = [&](const char* what, Matrix in_one, int most) {
    SCOPED_TRACE(what);
    const Matrix A = to_unit_diagonal(host, std::move(in_one));
    Context<S> ctx;
    const SolveResult result = default_solve<T>(ctx, A);
    EXPECT_TRUE(has_note(ctx.profile(), note_of_relaxation));
    EXPECT_LE(result.iterations, most);
    MultiVector<T, S> ones(ctx, A.rows);
    fill<T>(ctx, T{1}, ones);
    EXPECT_GE((default_solve<T, S>(ctx, A, std::as_const(ones)).iterations), 2 * result.iterations);
  };
  expect_solved("independent coefficients in the plane", log_normal(host, {64, 65, 1}), 30);
  expect_solved("correlated coefficients", log_normal(host, {64, 65, 1}, 6), 40);
  expect_solved("a checkerboard", with_jumps(host, grid({64, 65}), CoefficientType::checkerboard, 4, 1e4), 20);
  expect_solved("inclusions", with_jumps(host, grid({64, 65}), CoefficientType::inclusions, 8, 1e4), 30);
}

// The scaling hides that constants are the near-nullspace: 20, 23 and 42 iterations, 17, 17 and 20 without it.
TYPED_TEST(RelaxedCandidatesInDouble, ComeNearToWhatIsHidden) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const Index n : {64, 128, 256}) {
    const auto in_one = log_normal(host, {n, n, 1});
    const int iterations = default_solve<double>(ctx, in_one).iterations;
    const SolveResult result = default_solve<double>(ctx, to_unit_diagonal(host, convert_values<double>(host, in_one)));
    EXPECT_LE(result.iterations, (n == 256 ? 5 : 3) * iterations / 2) << n;
    EXPECT_LE(result.convergence_factor, 0.7) << n;
  }
}

// Scaled constants are relaxed further.
TYPED_TEST(RelaxedCandidates, SolveJumpsInUnits) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  for (const double sigma : {0.2, 1.0, 3.0}) {
    Context<S> ctx;
    const auto jumps = with_jumps(host, grid({64, 65}), CoefficientType::checkerboard, 4, 1e4);
    EXPECT_LE(default_solve<T>(ctx, in_random_units(convert_values<double>(host, jumps), sigma)).iterations, 25);
    EXPECT_TRUE(has_note(ctx.profile(), note_of_relaxation)) << sigma;
  }
}

// In about as many iterations as they come. Few rows show that constants do not serve, but they are of M-matrices.
TYPED_TEST(RelaxedCandidates, SolveJumpsInSpaceInUnits) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  const auto expect_solved = [&](const char* what, const Matrix& jumps) {
    SCOPED_TRACE(what);
    Context<S> ctx;
    const int iterations = default_solve<T>(ctx, jumps).iterations;
    EXPECT_FALSE(has_relaxed(ctx));
    for (const Matrix& A : {to_unit_diagonal(host, convert_values<double>(host, jumps)),
                            in_random_units(convert_values<double>(host, jumps), 1.0)}) {
      ctx.profile().clear();
      EXPECT_LE(default_solve<T>(ctx, A).iterations, iterations + 4);
      EXPECT_TRUE(has_note(ctx.profile(), note_of_relaxation));
    }
  };
  expect_solved("P7", with_jumps(host, grid({32, 32, 32}), CoefficientType::checkerboard, 8, 1e4));
  expect_solved("a checkerboard", with_jumps(host, grid({24, 25, 26}), CoefficientType::checkerboard, 4, 1e4));
  expect_solved("inclusions", with_jumps(host, grid({24, 25, 26}), CoefficientType::inclusions, 4, 1e4));
}

// The diagonal's sign is, in rows of M-matrices or of their negatives.
TYPED_TEST(RelaxedCandidates, TellLoneRows) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const Matrix A = to_unit_diagonal(host, with_jumps(host, grid({24, 25, 26}), CoefficientType::inclusions, 4, 1e4));
  for (const double sign : {1.0, -1.0}) {
    const MeanImages lone = images_of_constants<T>(ctx, convert_values<double>(host, A, sign));
    EXPECT_GT(lone.lone, 0.0005);
    EXPECT_EQ(lone.lone, lone.opposite);
    const MeanImages others =
        images_of_constants<T>(ctx, convert_values<double>(host, with_obtuse_elements(host), sign));
    EXPECT_EQ(others.lone, 0.0);
    EXPECT_GT(others.opposite, 0.001);
  }
}

// Two in a thousand, which few others see.
TYPED_TEST(RelaxedCandidates, SolveSystemsWithVeryFewRowsInOtherUnits) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::in_units(generate_matrix<double>(host, poisson(grid({80, 81}), Discretization::fd)),
                                     [](Index i) { return i % 497 == 0 ? 1e3 : 1.0; });
  EXPECT_LE(default_solve<T>(ctx, A).iterations, 20);
  EXPECT_TRUE(has_note(ctx.profile(), note_of_relaxation));
}

TYPED_TEST(RelaxedCandidatesInDouble, SolveNodesOfSeveralUnknowns) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = in_random_units(three_phases(host), 0.2);
  EXPECT_LE(default_solve<double>(ctx, A).iterations, 16);
  EXPECT_TRUE(has_note(ctx.profile(), note_of_relaxation));
  EXPECT_TRUE(relaxed<double>(ctx, A, 3).has_value());
}

// Rigid-body modes of coordinates are those of the unknowns' own units, too.
TYPED_TEST(RelaxedCandidates, SolveBodiesInUnitsByTheirCoordinates) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  const auto solved = [&](Context<S>& ctx, const Body& body, const Matrix& A) {
    AmgSolver<T, S> solver({}, {.tolerance = tolerance_in<T>});
    const ScopedTimer timer(ctx, "test");
    solver.setup(
        ctx, reference::upload(ctx, convert_values<T>(host, A)), {},
        reference::upload(ctx, std::vector<T>(body.coordinates.begin(), body.coordinates.end()), body.dimensions)
            .view());
    return solve(ctx, solver, A.rows).iterations;
  };
  for (const auto& on : {grid({40, 41}), grid({12, 11, 10})}) {
    SCOPED_TRACE(on.dimensions);
    Body body = body_on(host, on);
    const double size = 1.0 / body.A.values[0];
    body.A = convert_values<double>(host, std::move(body.A), size);
    Context<S> plain;
    const int most = 3 * solved(plain, body, body.A) / 2 + 2;
    EXPECT_FALSE(has_relaxed(plain));
    for (const double sigma : {0.3, 1.0}) {
      Context<S> ctx;
      const Matrix A = in_random_units(convert_values<double>(host, body.A), sigma);
      EXPECT_LE(solved(ctx, body, A), most) << sigma;
      EXPECT_TRUE(has_note(ctx.profile(), "A takes rigid-body modes far from zero: the near-nullspace is relaxed") ||
                  has_note(ctx.profile(), "rows differ in size: the near-nullspace is rigid-body modes times"))
          << sigma;
    }
    Context<S> ctx;
    EXPECT_LE(solved(ctx, body, to_unit_diagonal(host, convert_values<double>(host, body.A))), most);
  }
}

// Boundaries, jumps, mass terms and penalties take no more than a look.
TYPED_TEST(RelaxedCandidates, AreNoneWhereTheConstantsServe) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto expect_constants = [&](const char* what, const Matrix& A, Index block_size = 1) {
    EXPECT_FALSE((relaxed<T, S>(ctx, A, block_size).has_value())) << what;
  };
  const auto expect_poisson = [&](const StructuredGrid& on, Discretization discretization) {
    expect_constants("Laplacians", generate_matrix<double>(host, poisson(on, discretization)));
  };
  expect_poisson(grid({12, 13}), Discretization::fd);
  expect_poisson(grid({8, 7, 9}), Discretization::fd);
  expect_poisson(grid({12, 13}), Discretization::q1);
  expect_poisson(grid({8, 7, 9}), Discretization::q1);
  for (const CoefficientType type :
       {CoefficientType::checkerboard, CoefficientType::random, CoefficientType::inclusions}) {
    for (const std::int64_t block : {1, 4}) {
      for (const double high : {1e2, 1e8}) {
        expect_constants("jumps in the plane", with_jumps(host, grid({64, 65}), type, block, high));
        expect_constants("jumps in space", with_jumps(host, grid({16, 17, 18}), type, block, high));
      }
    }
  }
  const std::array<Index, 3> cells{20, 20, 20};
  expect_constants("independent coefficients", log_normal(host, cells));
  expect_constants("stretched cells",
                   bench::finite_volumes(host, cells, bench::stretched(cells, 1e4, {true, true, true})));
  expect_constants("one weak direction", bench::trilinear(host, 12, {1.0, 1.0, 1e-3}));
  expect_constants("two weak directions", bench::trilinear(host, 12, {1.0, 1e-3, 1e-3}));
  auto penalised = generate_matrix<double>(host, poisson(grid({20, 20, 20}), Discretization::q1));
  std::vector<double> b(static_cast<std::size_t>(penalised.rows), 1.0);
  reference::add_penalties(penalised, b, 2000, 1e8);
  expect_constants("penalties", penalised);
  const auto L = bench::finite_volumes(host, cells, bench::stretched(cells, 1e2, {true, true, true}));
  for (const double mass : {1e-2, 1.0, 1e2}) {
    expect_constants("mass terms", reference::changed_entries<double>(host, L, [&](Index i, Index j, double value) {
                       return i == j ? value * (1.0 + mass * std::pow(1.3, i % 20)) : value;
                     }));
  }
  expect_constants("obtuse elements", with_obtuse_elements(host));
  expect_constants("a diagonal that is another at boundaries", to_unit_diagonal(host, neumann(host)));
  GeneratedProblem body = poisson(grid({8, 9, 10}), Discretization::q1);
  body.pde = Pde::elasticity;
  body.boundary = Boundary::clamped_face;
  expect_constants("a body", generate_matrix<double>(host, body), 3);
  EXPECT_FALSE(has_relaxed(ctx));
}

// All entries of a mass matrix are positive, and constants its largest eigenvector: nothing is smooth.
TYPED_TEST(RelaxedCandidates, AreNoneOfMassMatricesAndDiagonalsOfBothSigns) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto L = generate_matrix<double>(host, poisson(grid({40, 41}), Discretization::q1));
  const auto mass =
      reference::changed_entries<double>(host, L, [](Index i, Index j, double) { return i == j ? 16.0 : 2.0; });
  EXPECT_FALSE((relaxed<T, S>(ctx, mass).has_value()));
  // A short step in time leaves nothing smooth, which need not be tried; signs do, of which the diagonal knows nothing.
  const auto step = reference::changed_entries<double>(
      host, L, [](Index i, Index j, double value) { return i == j ? 40.0 * value : value; });
  ctx.profile().clear();
  EXPECT_FALSE((relaxed<T, S>(ctx, step).has_value()));
  EXPECT_FALSE(has_relaxed(ctx));
  const auto with_signs =
      reference::in_units(convert_values<double>(host, L), [](Index i) { return i * 37 % 101 < 50 ? -1.0 : 1.0; });
  EXPECT_TRUE((relaxed<T, S>(ctx, with_signs).has_value()));
  EXPECT_TRUE(has_relaxed(ctx));
  const auto both = reference::changed_entries<double>(
      host, L, [](Index i, Index j, double value) { return i == j && i % 50 == 0 ? -value : value; });
  EXPECT_FALSE((relaxed<T, S>(ctx, in_random_units(convert_values<double>(host, both), 1.0)).has_value()));
}

// A damping of 2/3 for all would make what is rough grow where D⁻¹A has eigenvalues beyond 3.
TYPED_TEST(RelaxedCandidates, AreSmoothWhereverTheSpectrumReaches) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = in_random_units(bench::trilinear(host, 16, {1.0, 1e-3, 1e-3}), 0.3);
  const auto diagonal = diagonal_of(host, A);
  ASSERT_GT(spectral_radius<double>(host, A, diagonal.span(), 20), 3.0);
  const auto found = relaxed<T, S>(ctx, A);
  ASSERT_TRUE(found.has_value());
  EXPECT_LT(found->relaxation.image, 0.25 * found->relaxation.image_before);
  EXPECT_LE(found->relaxation.products, 64);
}

TYPED_TEST(RelaxedCandidates, AreThoseOfAnyNumberOfThreads) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  const Matrix A = to_unit_diagonal(host, log_normal(host, {150, 151, 1}));
  std::vector<T> expected;
  for (const int threads : {1, 2, 5}) {
    Context<Host> ctx(threads);
    const auto found = relaxed<T, Host>(ctx, A);
    ASSERT_TRUE(found.has_value());
    std::vector<T> values = reference::download(ctx, found->vectors);
    if (expected.empty()) {
      expected = std::move(values);
    } else {
      EXPECT_EQ(values, expected) << threads;
    }
  }
}

TYPED_TEST(RelaxedCandidates, SolveNegativeMatrices) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  const Matrix A = to_unit_diagonal(host, log_normal(host, {64, 65, 1}));
  const Matrix negative = convert_values<double>(host, A, -1.0);
  Context<S> ctx;
  const int iterations = default_solve<T>(ctx, A).iterations;
  ctx.profile().clear();
  EXPECT_EQ(default_solve<T>(ctx, negative).iterations, iterations);
  EXPECT_TRUE(has_note(ctx.profile(), note_of_relaxation));
  for (const Matrix* const seen : {&A, &negative}) {
    const auto there = reference::upload(ctx, convert_values<T>(host, *seen));
    const ModesCheck modes = analyse_matrix<T>(ctx, there, {}).constants.value().modes;
    EXPECT_EQ(modes.modes, Modes::relaxed_constants);
    EXPECT_LT(modes.relaxation.image, 0.5 * modes.relaxation.image_before);
  }
}

// New values take the candidates of their own matrix where a hierarchy is made of it.
TYPED_TEST(RelaxedCandidates, AreThoseOfTheMatrixThatIsSetUp) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto plain = log_normal(host, {50, 51, 1});
  const auto scaled = to_unit_diagonal(host, convert_values<double>(host, plain));
  const auto first = reference::upload(ctx, convert_values<T>(host, plain));
  const auto second = reference::upload(ctx, convert_values<T>(host, scaled));
  AmgSolver<T, S> expected({}, reference::reusing<T>(Reuse::none));
  expected.setup(ctx, borrow(second));
  AmgSolver<T, S> solver({}, reference::reusing<T>(Reuse::none));
  solver.setup(ctx, borrow(first));
  solver.update_values(ctx, borrow(second));
  std::vector<T> x;
  std::vector<T> x_expected;
  solve(ctx, solver, plain.rows, &x);
  solve(ctx, expected, plain.rows, &x_expected);
  EXPECT_EQ(x, x_expected);
}

}  // namespace
}  // namespace amgsolve
