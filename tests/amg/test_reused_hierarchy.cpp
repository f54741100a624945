#include <gtest/gtest.h>

#include <utility>

#include "amg/solver.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"
#include "tests/reference/reuse.hpp"
#include "tests/reference/spaces.hpp"

/// How long coarse levels serve that were made of other values.
namespace amgsolve {
namespace {

using reference::checkerboard;
using reference::has_note;
using reference::reusing;
using reference::small_levels;
using reference::solve;

template <class I>
class ReusedHierarchy : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(ReusedHierarchy, reference::Instances, reference::InstanceNames);

TYPED_TEST(ReusedHierarchy, ServesUntilSolvesAreSlow) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  for (const double factor : {1.5, 100.0}) {
    Context<S> ctx;
    SolverOptions options = reusing<T>(Reuse::hierarchy);
    options.rebuild_factor = factor;
    AmgSolver<T, S> solver(small_levels(), options);
    const auto A = reference::upload(ctx, checkerboard<T>(host, 1.0));
    solver.setup(ctx, borrow(A));
    const SolveResult of_setup = solve(ctx, solver, A.rows).result;
    const int first = of_setup.iterations;
    EXPECT_FALSE(of_setup.has_earlier_levels);
    // Hardly another matrix.
    solver.update_values(ctx, reference::upload(ctx, checkerboard<T>(host, 1.05)));
    EXPECT_NEAR(solve(ctx, solver, A.rows).result.iterations, first, 2);
    // Quite another one.
    const auto other = reference::upload(ctx, checkerboard<T>(host, 50.0));
    solver.update_values(ctx, borrow(other));
    const SolveResult of_earlier = solve(ctx, solver, A.rows).result;
    const int slow = of_earlier.iterations;
    EXPECT_TRUE(of_earlier.has_earlier_levels);
    AmgSolver<T, S> share = solver.share(ctx);
    EXPECT_TRUE(solve(ctx, share, A.rows).result.has_earlier_levels);
    EXPECT_GT(slow, 1.5 * first);
    EXPECT_LT(slow, 100 * first);
    EXPECT_FALSE(has_note(ctx.profile(), "set up anew"));
    solver.update_values(ctx, borrow(other));
    EXPECT_EQ(has_note(ctx.profile(), "set up anew"), factor == 1.5);
    const SolveResult last = solve(ctx, solver, A.rows).result;
    EXPECT_EQ(last.iterations < slow, factor == 1.5);
    EXPECT_EQ(last.has_earlier_levels, factor != 1.5);
  }
}

TYPED_TEST(ReusedHierarchy, IsJudgedBySolvesWithTolerancesOfTheirOwn) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  AmgSolver<T, S> solver(small_levels(), reusing<T>(Reuse::hierarchy));
  const auto A = reference::upload(ctx, checkerboard<T>(host, 1.0));
  const auto other = reference::upload(ctx, checkerboard<T>(host, 50.0));
  MultiVector<T, S> b(ctx, A.rows);
  MultiVector<T, S> x(ctx, A.rows);
  fill_random<T>(ctx, 7, b);
  const auto solve_to = [&](const SolveChoices<T, S>& choices) {
    fill<T>(ctx, T{0}, x);
    return solver.solve(ctx, std::as_const(b), x, choices);
  };
  solver.setup(ctx, borrow(A));
  solve_to({.tolerance = 1e-4});
  // What ends a solve before it could converge, and to another tolerance, tells nothing against the hierarchy.
  for (const SolveChoices<T, S>& choices : {SolveChoices<T, S>{.max_iterations = 2}, {.tolerance = 1e-2}}) {
    EXPECT_LE(solve_to(choices).iterations, 5);
    solver.update_values(ctx, borrow(A));
    EXPECT_FALSE(has_note(ctx.profile(), "set up anew"));
  }
  solver.update_values(ctx, borrow(other));
  const int slow = solve_to({.tolerance = 1e-3}).iterations;
  solver.update_values(ctx, borrow(other));
  EXPECT_TRUE(has_note(ctx.profile(), "set up anew: the last solve reduced the residual to "));
  EXPECT_LT(1.5 * solve_to({.tolerance = 1e-3}).iterations, slow);
}

// Corrections of levels that are kept fit where a part of the rows is as large as before.
TYPED_TEST(ReusedHierarchy, ServesUnlessAllRowsAreOfAnotherSize) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  struct Change {
    double low;  ///< coefficients of the checkerboard that had 1 and 10
    double high;
    bool is_of_all;
  };
  for (const Change& change : {Change{3.5, 35.0, false},
                               {4.5, 45.0, true},
                               {0.3, 3.0, false},
                               {0.2, 2.0, true},
                               {1.0, 100.0, false},
                               {0.1, 10.0, false},
                               {0.1, 100.0, false},
                               {5.0, 20.0, false}}) {
    for (const Precision precision : {Precision::same, Precision::mixed}) {
      Context<S> ctx;
      AmgOptions amg = small_levels();
      amg.precision = precision;
      AmgSolver<T, S> solver(amg, reusing<T>(Reuse::hierarchy));
      solver.setup(ctx, reference::upload(ctx, checkerboard<T>(host, 10.0)));
      solver.update_values(ctx, reference::upload(ctx, checkerboard<T>(host, change.high / change.low, change.low)));
      EXPECT_EQ(has_note(ctx.profile(), "set up anew: the matrix is none for the hierarchy that was kept"),
                change.is_of_all)
          << change.low << " and " << change.high;
    }
  }
}

TYPED_TEST(ReusedHierarchy, IsNotJudgedByASolveWithOtherValuesThanTheSetups) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  AmgSolver<T, S> solver(small_levels(), reusing<T>(Reuse::hierarchy));
  const auto A = reference::upload(ctx, checkerboard<T>(host, 50.0));
  solver.setup(ctx, borrow(A));
  const int served = solve(ctx, solver, A.rows).result.iterations;
  solver.setup(ctx, reference::upload(ctx, checkerboard<T>(host, 1.0)));
  solver.update_values(ctx, borrow(A));
  EXPECT_GT(solve(ctx, solver, A.rows).result.iterations, 1.5 * served);
  EXPECT_FALSE(has_note(ctx.profile(), "set up anew"));
  solver.update_values(ctx, borrow(A));
  EXPECT_TRUE(has_note(ctx.profile(), "set up anew"));
  EXPECT_EQ(solve(ctx, solver, A.rows).result.iterations, served);
}

}  // namespace
}  // namespace amgsolve
