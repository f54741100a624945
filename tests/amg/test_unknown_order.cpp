#include "amg/unknown_order.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/spmv.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

GeneratedProblem body(const StructuredGrid& grid) {
  GeneratedProblem problem = reference::poisson(grid, Discretization::q1);
  problem.pde = Pde::elasticity;
  problem.boundary = Boundary::clamped_face;
  return problem;
}

template <class I>
class UnknownOrder : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(UnknownOrder, reference::Instances, reference::InstanceNames);

TYPED_TEST(UnknownOrder, IsUndoneByTheOtherOne) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<S> ctx;
  Context<Host> host;
  const auto A = generate_matrix<T>(host, body(reference::grid({4, 3, 3})));
  const auto there = reference::upload(ctx, reference::by_field(host, A, 3));
  EXPECT_TRUE(reference::identical(reference::download(ctx, order_by_node(ctx, there, 3)), A));
  EXPECT_THROW((void)order_by_node(ctx, there, 5), std::invalid_argument);

  const std::vector<T> x = reference::random_values<T>(static_cast<std::size_t>(2 * A.rows), 3);
  const auto given = reference::upload(ctx, reference::by_field(x, 2, 3), 2);
  MultiVector<T, S> node(ctx, A.rows, 2);
  MultiVector<T, S> field(ctx, A.rows, 2);
  order_by_node<T>(ctx, given, 3, node);
  EXPECT_EQ(reference::download(ctx, node), x);
  order_by_field<T>(ctx, std::as_const(node), 3, field);
  EXPECT_EQ(reference::download(ctx, field), reference::download(ctx, given));
}

template <class I>
class SolverByField : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SolverByField, reference::DoubleInstances, reference::InstanceNames);

/// Solve, update and apply by both numberings: the same bits in another order.
TYPED_TEST(SolverByField, SolvesAsByNode) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<S> ctx;
  Context<Host> host;
  const GeneratedProblem problem = body(reference::grid({10, 6, 5}));
  const auto A = generate_matrix<T>(host, problem);
  MultiVector<T, S> positions(ctx, A.rows / 3, 3);
  grid_coordinates(ctx, problem, positions.view());
  const std::vector<T> load = reference::random_values<T>(static_cast<std::size_t>(A.rows), 3);
  const auto run = [&](Numbering unknowns) {
    const auto matrix = unknowns == Numbering::by_node ? convert_values<T>(host, A) : reference::by_field(host, A, 3);
    const auto b = reference::upload(ctx, unknowns == Numbering::by_node ? load : reference::by_field(load, 1, 3));
    AmgOptions options;
    options.unknowns = unknowns;
    options.coarse_size = 50;
    SolverOptions solve;
    solve.reuse = Reuse::pattern;
    AmgSolver<T, S> solver(options, solve);
    solver.setup(ctx, reference::upload(ctx, borrow(matrix)), {}, std::as_const(positions));
    std::vector<std::vector<T>> results;
    const auto keep = [&](const MultiVector<T, S>& x) { results.push_back(reference::download(ctx, x)); };
    for (int step = 0; step < 2; ++step) {
      auto x = reference::upload(ctx, std::vector<T>(load.size(), T{0}));
      const SolveResult result = solver.solve(ctx, std::as_const(b), x);
      EXPECT_EQ(result.reason, StopReason::converged);
      EXPECT_LE(result.iterations, 14);
      keep(x);
      solver.precondition(ctx, std::as_const(b), x);
      keep(x);
      SolveChoices<T, S> choices;
      const auto product_matrix = reference::upload(ctx, borrow(matrix));
      choices.product = [&](Context<S>& where, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) {
        spmv(where, T{1}, product_matrix, X, T{0}, Y);
      };
      auto y = reference::upload(ctx, std::vector<T>(load.size(), T{0}));
      EXPECT_EQ(solver.solve(ctx, std::as_const(b), y, choices).reason, StopReason::converged);
      solver.update_values(ctx, reference::upload(ctx, convert_values<T>(host, matrix, 2.0)));
    }
    return results;
  };
  const auto node = run(Numbering::by_node);
  const auto field = run(Numbering::by_field);
  ASSERT_EQ(node.size(), field.size());
  for (std::size_t i = 0; i < node.size(); ++i) {
    EXPECT_EQ(reference::by_field(node[i], 1, 3), field[i]) << "result " << i;
  }
}

}  // namespace
}  // namespace amgsolve
