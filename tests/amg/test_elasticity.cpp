#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "problems/manufactured.hpp"
#include "problems/mesh_assembly.hpp"
#include "problems/mesh_problem.hpp"
#include "problems/right_hand_side.hpp"
#include "spmv/blas1.hpp"
#include "tests/reference/meshes.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

GeneratedProblem clamped(const StructuredGrid& grid, Discretization discretization, double poisson = 0.3) {
  GeneratedProblem problem = reference::poisson(grid, discretization);
  problem.pde = Pde::elasticity;
  problem.boundary = Boundary::clamped_face;
  problem.body.poisson = poisson;
  problem.body.load = Load::bending;
  return problem;
}

struct Outcome {
  SolveResult result;
  HierarchySummary hierarchy;
};

/// A body under its load with the default options; its nodes' coordinates are all that is told.
template <MemorySpace S>
Outcome solve(Context<S>& ctx, const GeneratedProblem& problem) {
  const auto n = static_cast<Index>(problem.unknowns());
  MultiVector<double, S> positions(ctx, n / problem.grid.dimensions, problem.grid.dimensions);
  MultiVector<double, S> b(ctx, n);
  MultiVector<double, S> x(ctx, n);
  grid_coordinates(ctx, problem, positions.view());
  load_right_hand_side(ctx, problem, b.view());
  fill<double>(ctx, 0.0, x);
  AmgSolver<double, S> solver({}, {});
  solver.setup(ctx, generate_matrix<double>(ctx, problem), {}, std::as_const(positions));
  const SolveResult result = solver.solve(ctx, std::as_const(b), x);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  return {result, solver.summary()};
}

template <class I>
class ElasticBodies : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(ElasticBodies, reference::DoubleInstances, reference::InstanceNames);

/// The iterations stay where they are from 8 to 24 elements an edge; docs/elasticity.md goes on to 64.
TYPED_TEST(ElasticBodies, TakeAsManyIterationsWhateverTheirSize) {
  Context<typename TypeParam::Space> ctx;
  for (const std::int64_t n : {8, 16, 24}) {
    const Outcome found = solve(ctx, clamped(reference::grid({n, n + 1, n + 1}), Discretization::q1));
    EXPECT_LE(found.result.iterations, 17) << n;
    EXPECT_LE(found.hierarchy.operator_complexity, 1.25) << n;
  }
  for (const std::int64_t n : {16, 64, 128}) {
    const Outcome found = solve(ctx, clamped(reference::grid({n, n + 1}), Discretization::q1));
    EXPECT_LE(found.result.iterations, 20) << n;
    EXPECT_LE(found.hierarchy.operator_complexity, 1.5) << n;
  }
}

TYPED_TEST(ElasticBodies, OfTrianglesAndTetrahedraAreNoHarder) {
  Context<typename TypeParam::Space> ctx;
  EXPECT_LE(solve(ctx, clamped(reference::grid({12, 13, 13}), Discretization::p1)).result.iterations, 17);
  EXPECT_LE(solve(ctx, clamped(reference::grid({48, 49}), Discretization::p1)).result.iterations, 20);
  // Six modes of three unknowns would make a coarse matrix of more entries than the fine one has.
  const Outcome guarded = solve(ctx, clamped(reference::grid({16, 17, 17}), Discretization::p1));
  EXPECT_LE(guarded.result.iterations, 20);
  EXPECT_LE(guarded.hierarchy.operator_complexity, 1.5);
}

/// Couplings of strewn tetrahedra differ as much as those of flat elements, but have no direction.
TYPED_TEST(ElasticBodies, OfStrewnTetrahedraStaySparse) {
  using S = typename TypeParam::Space;
  Context<S> ctx;
  Context<Host> host;
  MeshEquation equation;
  equation.pde = Pde::elasticity;
  equation.conditions.fixed = {{"left", {0.0}}};
  equation.conditions.source = {{"domain", {1.0}}};
  Mesh mesh = reference::box_mesh(host, 3, 14, 0.24);
  for (Index node = 0; node < mesh.points.rows(); ++node) {
    mesh.points.data()[3 * node + 2] *= 0.2;
  }
  ElementsOfNodes around = elements_of_nodes(host, mesh);
  const MeshProblem problem = make_mesh_problem(host, std::move(mesh), std::move(around), equation);
  const auto there = [&](const MultiVector<double, Host>& values) {
    return reference::upload<double>(ctx, std::vector<double>(values.data(), values.data() + values.view().size()),
                                     values.columns());
  };
  MultiVector<double, Host> load(host, static_cast<Index>(problem.unknowns()));
  mesh_load(host, problem, load.view());
  const MultiVector<double, S> positions = there(free_points(host, problem));
  const MultiVector<double, S> b = there(load);
  MultiVector<double, S> x(ctx, b.rows());
  fill<double>(ctx, 0.0, x);
  AmgSolver<double, S> solver({}, {});
  solver.setup(ctx, reference::upload(ctx, mesh_matrix(host, problem)), {}, positions);
  const SolveResult result = solver.solve(ctx, std::as_const(b), x);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LE(result.iterations, 60);
  EXPECT_LE(solver.summary().operator_complexity, 1.8);
}

}  // namespace
}  // namespace amgsolve
