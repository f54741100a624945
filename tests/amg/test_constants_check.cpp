#include "amg/constants_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "problems/generate.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

/// D A D with d alternating between 1e3 and 1e-3 from row to row.
CsrMatrix<double, Host> scaled_in_turn(CsrMatrix<double, Host> A) {
  const auto d = [](std::size_t i) { return i % 2 == 0 ? 1e3 : 1e-3; };
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      A.values[k] *= d(i) * d(static_cast<std::size_t>(A.col_indices[k]));
    }
  }
  return A;
}

template <class I>
class Constants : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Constants, reference::DoubleInstances, reference::InstanceNames);

// An odd edge, so that neighbours in both directions are scaled differently.
TYPED_TEST(Constants, WhatIsSeenIsWhatHelps) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = scaled_in_turn(
      generate_matrix<double>(host, reference::poisson(reference::grid({151, 151}), Discretization::fd)));
  std::vector<double> candidate(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    candidate[i] = i % 2 == 0 ? 1e-3 / 2.0 : 1e3 / 2.0;  // 1 / sqrt(a_ii)
  }
  const auto solve = [&](MultiVectorView<const double, S> near_nullspace) {
    AmgSolver<double, S> solver({}, {});
    solver.setup(ctx, reference::upload(ctx, borrow(A)), near_nullspace);
    MultiVector<double, S> b(ctx, A.rows);
    MultiVector<double, S> x(ctx, A.rows);
    fill<double>(ctx, 1.0, b);
    fill<double>(ctx, 0.0, x);
    return solver.solve(ctx, std::as_const(b), x);
  };
  const SolveResult slow = solve({});
  ASSERT_GE(slow.iterations, slow_iterations);
  ASSERT_TRUE(slow.slow.has_value());
  EXPECT_GT(slow.slow->defect, 0.9);
  EXPECT_LT(slow.slow->scaled_defect, 0.1);
  EXPECT_EQ(slow.slow->node_size, 1);
  const MultiVector<double, S> candidate_there = reference::upload(ctx, candidate);
  const SolveResult quick = solve(candidate_there.view());
  EXPECT_LE(quick.iterations, 30);
  EXPECT_FALSE(quick.slow.has_value());
}

// They are looked at behind the last iteration, where x is as it will be handed over.
TYPED_TEST(Constants, AStopWhileTheyAreLookedAtComesTooLate) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A =
      scaled_in_turn(generate_matrix<double>(host, reference::poisson(reference::grid({71, 71}), Discretization::fd)));
  AmgSolver<double, S> solver({}, {.tolerance = 0.0, .max_iterations = slow_iterations});
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  MultiVector<double, S> b(ctx, A.rows);
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 1.0, b);
  const auto solve = [&](int stop_at) {
    fill<double>(ctx, 0.0, x);
    int asked = 0;
    ctx.set_stop([&] { return ++asked == stop_at; });
    const SolveResult result = solver.solve(ctx, std::as_const(b), x);
    ctx.set_stop({});
    EXPECT_EQ(result.slow.has_value(), result.reason != StopReason::interrupted) << describe(result.reason);
    return asked;
  };
  const int last = solve(0);
  for (int stop_at = last; stop_at > last - 3; --stop_at) {
    EXPECT_NO_THROW(solve(stop_at)) << "asked " << stop_at << " of " << last << " times";
  }
}

TYPED_TEST(Constants, NodesAreKnownByTheirConstants) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto look = [&](const GeneratedProblem& problem) {
    const Operator<double, S> A(ctx, reference::upload(ctx, generate_matrix<double>(host, problem)), Storage::csr);
    return check_constants(ctx, A, 1).value();
  };
  // An edge that 2 and 3 divide, in any direction.
  const ConstantsCheck scalar = look(reference::poisson(reference::grid({30, 30, 30}), Discretization::q1));
  EXPECT_EQ(scalar.node_size, 1);
  EXPECT_LT(scalar.defect, 0.2);
  const auto laplacian =
      generate_matrix<double>(host, reference::poisson(reference::grid({60, 60}), Discretization::fd));
  const Operator<double, S> biharmonic(ctx, reference::upload(ctx, multiply(host, laplacian, laplacian)), Storage::csr);
  EXPECT_EQ(check_constants(ctx, biharmonic, 1).value().node_size, 1);
  GeneratedProblem body = reference::poisson(reference::grid({48, 48}), Discretization::q1);
  body.pde = Pde::elasticity;
  EXPECT_EQ(look(body).node_size, 2);
  body.grid = reference::grid({15, 15, 15});
  EXPECT_EQ(look(body).node_size, 3);
}

}  // namespace
}  // namespace amgsolve
