#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "amg/approach.hpp"
#include "amg/optimal_polynomial.hpp"
#include "amg/solver.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"
#include "tests/reference/elasticity.hpp"
#include "tests/reference/inclined_supports.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// Unknowns that are strongly coupled within their nodes, of which the blocks are inverted.
namespace amgsolve {
namespace {

template <class I>
class StrongNodes : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(StrongNodes, reference::DoubleInstances, reference::InstanceNames);

GeneratedProblem clamped(const StructuredGrid& grid, double poisson = 0.3) {
  GeneratedProblem problem = reference::poisson(grid, Discretization::q1);
  problem.pde = Pde::elasticity;
  problem.boundary = Boundary::clamped_face;
  problem.body.poisson = poisson;
  return problem;
}

constexpr Index n = 10;

/// A cube, of which the last `supported` nodes are held by springs that are 1e5 times as stiff.
CsrMatrix<double, Host> supported_cube(Context<Host>& host, Index supported) {
  const auto cube = generate_matrix<double>(host, clamped(reference::grid({n, n + 1, n + 1})));
  return reference::with_inclined_supports(host, cube, 3, supported, 1e5);
}

template <MemorySpace S>
SmootherType smoother_for(Context<S>& ctx, const CsrMatrix<double, Host>& A, Index block_size,
                          const AmgOptions& amg = {}, MatrixKind kind = MatrixKind::definite) {
  return options_for_nodes(ctx, reference::upload(ctx, borrow(A)), {Method::cg, kind}, amg, block_size).smoother.type;
}

TYPED_TEST(StrongNodes, AreSmoothedByTheirBlocksUnlessAnotherSmootherIsAskedFor) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = supported_cube(host, 1);
  EXPECT_EQ(smoother_for(ctx, A, 3), SmootherType::block_chebyshev) << "a node decides";
  EXPECT_EQ(smoother_for(ctx, A, 3, {}, MatrixKind::symmetric), SmootherType::block_chebyshev);
  EXPECT_EQ(smoother_for(ctx, A, 3, {}, MatrixKind::general), SmootherType::automatic);
  EXPECT_EQ(smoother_for(ctx, A, 1), SmootherType::automatic);
  AmgOptions options;
  options.smoother.degree = highest_optimal_degree + 1;
  EXPECT_EQ(smoother_for(ctx, A, 3, options), SmootherType::automatic);
  options = {};
  options.smoother.type = SmootherType::jacobi;
  EXPECT_EQ(smoother_for(ctx, A, 3, options), SmootherType::jacobi);
}

TYPED_TEST(StrongNodes, AreNoneOfThoseOfElasticBodies) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  EXPECT_EQ(smoother_for(ctx, supported_cube(host, 0), 3), SmootherType::automatic);
  for (const double poisson : {0.0, 0.3, 0.49}) {
    const auto square = generate_matrix<double>(host, clamped(reference::grid({20, 21}), poisson));
    const auto cube = generate_matrix<double>(host, clamped(reference::grid({6, 7, 7}), poisson));
    EXPECT_EQ(smoother_for(ctx, square, 2), SmootherType::automatic) << poisson;
    EXPECT_EQ(smoother_for(ctx, cube, 3), SmootherType::automatic) << poisson;
  }
  EXPECT_EQ(smoother_for(ctx, reference::plane_strain(host, {40, 20}, 0.02), 2), SmootherType::automatic) << "flat";
}

TYPED_TEST(StrongNodes, WithBlocksThatAreNotDefiniteAreNot) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const double coupling : {0.0, 0.85, 0.95, 1.0, 1.05}) {
    const auto A = reference::matrix_from_entries<double>(
        host, 4, 4,
        {{0, 0, 1}, {0, 1, 0.95}, {1, 0, 0.95}, {1, 1, 1}, {2, 2, 1}, {2, 3, coupling}, {3, 2, coupling}, {3, 3, 1}});
    EXPECT_EQ(smoother_for(ctx, A, 2), coupling <= 1.0 ? SmootherType::block_chebyshev : SmootherType::automatic)
        << coupling;
  }
}

TYPED_TEST(StrongNodes, OfInclinedSupportsSlowNoSolve) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto solve = [&](Index supported, SmootherType smoother) {
    const auto A = supported_cube(host, supported);
    MultiVector<double, S> positions(ctx, A.rows / 3, 3);
    grid_coordinates(ctx, clamped(reference::grid({n, n + 1, n + 1})), positions.view());
    MultiVector<double, S> b(ctx, A.rows);
    MultiVector<double, S> x(ctx, A.rows);
    fill_random<double>(ctx, 7, b);
    fill<double>(ctx, 0.0, x);
    AmgOptions amg;
    amg.smoother.type = smoother;
    AmgSolver<double, S> solver(amg, {});
    solver.setup(ctx, reference::upload(ctx, borrow(A)), {}, std::as_const(positions));
    const SolveResult result = solver.solve(ctx, std::as_const(b), x);
    EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
    return result;
  };
  constexpr Index face = (n + 1) * (n + 1);
  const SolveResult by_points = solve(face, SmootherType::chebyshev);
  const SolveResult by_blocks = solve(face, SmootherType::automatic);
  EXPECT_LE(by_blocks.convergence_factor, 0.5);
  EXPECT_GE(by_points.iterations, 4 * by_blocks.iterations);
  ASSERT_TRUE(by_points.slow);
  EXPECT_FALSE(by_points.slow->has_block_smoother);
}

}  // namespace
}  // namespace amgsolve
