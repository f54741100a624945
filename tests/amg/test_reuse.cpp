#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/random.hpp"
#include "tests/reference/elasticity.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/networks.hpp"
#include "tests/reference/reuse.hpp"
#include "tests/reference/spaces.hpp"

/// New values in a known pattern.
namespace amgsolve {
namespace {

using reference::anisotropic;
using reference::checkerboard;
using reference::has_note;
using reference::reusing;
using reference::small_levels;
using reference::Solve;
using reference::solve;

template <class I>
class Reuses : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Reuses, reference::Instances, reference::InstanceNames);

TYPED_TEST(Reuses, PatternWithTheSameValuesGivesTheBitsOfBefore) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, checkerboard<T>(host, 10.0));
  for (const Precision precision : {Precision::same, Precision::mixed}) {
    for (const StorageEntry& entry : storages) {
      for (const auto& [measure, filter] : {std::pair{StrengthMeasure::signed_relative, true},
                                            {StrengthMeasure::symmetric, false},
                                            {StrengthMeasure::symmetric, true}}) {
        AmgOptions amg = small_levels();
        amg.precision = precision;
        amg.storage = entry.storage;
        amg.strength.measure = measure;
        amg.filter = filter;
        AmgSolver<T, S> solver(amg, reusing<T>(Reuse::pattern));
        solver.setup(ctx, borrow(A));
        const Solve<T> first = solve(ctx, solver, A.rows);
        solver.update_values(ctx, borrow(A));
        const Solve<T> second = solve(ctx, solver, A.rows);
        EXPECT_EQ(second.result.residual_history, first.result.residual_history);
        EXPECT_EQ(second.x, first.x);
      }
    }
  }
}

/// Values of slices that are alike, others, and the first ones again.
TYPED_TEST(Reuses, PatternOfAlikeSlicesGivesTheBitsOfBefore) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto alike = amgsolve::upload(ctx, checkerboard<T>(host, 1.0));
  GeneratedProblem problem = reference::poisson(reference::grid({24, 20, 16}), Discretization::fd);
  problem.pde = Pde::diffusion;
  problem.coefficient = {CoefficientType::random, 1.0, 1.0, 1.5, 1, 7};
  const auto others = amgsolve::upload(ctx, generate_matrix<T>(host, problem));
  for (const Reuse reuse : {Reuse::pattern, Reuse::hierarchy}) {
    for (const Storage storage : {Storage::automatic, Storage::pattern}) {
      AmgOptions amg = small_levels();
      amg.storage = storage;
      AmgSolver<T, S> solver(amg, reusing<T>(reuse));
      const auto updated = [&](const CsrMatrix<T, S>& A) {
        solver.update_values(ctx, convert_values<T>(ctx, A));
        return solve(ctx, solver, A.rows);
      };
      solver.setup(ctx, convert_values<T>(ctx, alike));
      const Solve<T> first = solve(ctx, solver, alike.rows);
      EXPECT_EQ(updated(alike).x, first.x);
      const Solve<T> between = updated(others);
      EXPECT_NE(between.x, first.x);
      EXPECT_EQ(updated(others).x, between.x);
      EXPECT_EQ(updated(alike).x, first.x);
    }
  }
}

TYPED_TEST(Reuses, NothingOfValuesThatAreRefused) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, checkerboard<T>(host, 10.0));
  CsrMatrix<T, Host> spoilt = checkerboard<T>(host, 10.0);
  spoilt.values[7] = std::numeric_limits<T>::quiet_NaN();
  for (const Reuse reuse : {Reuse::none, Reuse::pattern, Reuse::hierarchy}) {
    AmgSolver<T, S> solver(small_levels(), reusing<T>(reuse));
    solver.setup(ctx, borrow(A));
    const Solve<T> before = solve(ctx, solver, A.rows);
    EXPECT_THROW(solver.update_values(ctx, reference::upload(ctx, borrow(spoilt))), InputError);
    EXPECT_EQ(solve(ctx, solver, A.rows).x, before.x);
    solver.update_values(ctx, borrow(A));
    EXPECT_EQ(solve(ctx, solver, A.rows).x, before.x);
    EXPECT_THROW(solver.setup(ctx, reference::upload(ctx, borrow(spoilt))), InputError);
    EXPECT_THROW(solver.update_values(ctx, borrow(A)), std::invalid_argument);
  }
}

TYPED_TEST(Reuses, PatternTabulatesTheProductsOfASetup) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, checkerboard<T>(host, 10.0));
  AmgOptions amg = small_levels();
  amg.spgemm.statistics = true;
  const auto levels = [&](Reuse reuse) {
    AmgSolver<T, S> solver(amg, reusing<T>(reuse));
    solver.setup(ctx, borrow(A));
    return solver.summary().levels;
  };
  const std::vector<LevelSummary> plain = levels(Reuse::none);
  const std::vector<LevelSummary> planned = levels(Reuse::pattern);
  ASSERT_EQ(planned.size(), plain.size());
  ASSERT_GE(plain.size(), 2u);
  for (std::size_t l = 0; l + 1 < plain.size(); ++l) {
    ASSERT_TRUE(plain[l].products && planned[l].products) << "level " << l;
    EXPECT_EQ(planned[l].products->AP.products, plain[l].products->AP.products);
    EXPECT_EQ(planned[l].products->RAP.histogram, plain[l].products->RAP.histogram);
    EXPECT_EQ(planned[l].products->RAP.c_entries, plain[l + 1].nnz);
  }
}

TYPED_TEST(Reuses, PatternTakesTheProductsThatASetupForms) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, anisotropic<T>(host, 0.01));
  const auto sums_values_anew = [&] {
    return std::ranges::any_of(ctx.profile().nodes(),
                               [](const Profile::Node& node) { return node.phase == "numeric"; });
  };
  AmgSolver<T, S> solver(small_levels(), reusing<T>(Reuse::pattern));
  solver.setup(ctx, borrow(A));
  EXPECT_EQ(solver.summary().levels[0].prolongator_steps, 2);
  EXPECT_FALSE(sums_values_anew());
  solver.update_values(ctx, borrow(A));
  EXPECT_TRUE(sums_values_anew());
}

/// Other values in the pattern of a hierarchy are solved with about as well as after a setup, those of before with the
/// same bits.
template <class T, MemorySpace S>
void expect_there_and_back(Context<S>& ctx, AmgSolver<T, S>& solver, const AmgOptions& amg, const CsrMatrix<T, S>& A,
                           const CsrMatrix<T, S>& other) {
  const Solve<T> first = solve(ctx, solver, A.rows);
  solver.update_values(ctx, borrow(other));
  const int updated = solve(ctx, solver, A.rows).result.iterations;
  AmgSolver<T, S> fresh(amg, reusing<T>(Reuse::none));
  fresh.setup(ctx, borrow(other));
  EXPECT_LE(updated, solve(ctx, fresh, A.rows).result.iterations + 3);
  solver.update_values(ctx, borrow(A));
  const Solve<T> again = solve(ctx, solver, A.rows);
  EXPECT_EQ(again.result.residual_history, first.result.residual_history);
  EXPECT_EQ(again.x, first.x);
}

TYPED_TEST(Reuses, PatternOfFilteredAndTruncatedLevels) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, anisotropic<T>(host, 0.01));
  const auto other = reference::upload(ctx, anisotropic<T>(host, 0.02));
  for (const int steps : {1, 2}) {
    for (const double density_limit : {10.0, 0.1}) {
      AmgOptions amg = small_levels();
      amg.prolongator_steps = steps;
      amg.density_limit = density_limit;
      AmgSolver<T, S> solver(amg, reusing<T>(Reuse::pattern));
      solver.setup(ctx, borrow(A));
      const LevelSummary finest = solver.summary().levels.front();
      EXPECT_EQ(finest.prolongator_steps, steps);
      EXPECT_EQ(finest.truncation > 0.0, density_limit < 1.0);
      EXPECT_GT(finest.dropped_weight, 0.0);
      expect_there_and_back(ctx, solver, amg, A, other);
    }
  }
}

TYPED_TEST(Reuses, PatternOfNetworksTruncatedByNodes) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const Index unknowns : {1, 3}) {
    const auto A = reference::upload(ctx, reference::coupled_network<T>(host, 1500, unknowns, 0.3));
    const auto other = reference::upload(ctx, reference::coupled_network<T>(host, 1500, unknowns, 0.2));
    AmgOptions amg = small_levels();
    amg.block_size = unknowns;
    AmgSolver<T, S> solver(amg, reusing<T>(Reuse::pattern));
    solver.setup(ctx, borrow(A));
    EXPECT_GT(solver.summary().levels.front().truncation, 0.0);
    expect_there_and_back(ctx, solver, amg, A, other);
  }
}

TYPED_TEST(Reuses, PatternOfABodyWhoseAggregatesWereFormedAnew) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  GeneratedProblem problem = reference::poisson(reference::grid({8, 9, 9}), Discretization::p1);
  problem.pde = Pde::elasticity;
  problem.boundary = Boundary::clamped_face;
  const auto A = reference::upload(ctx, generate_matrix<T>(host, problem));
  MultiVector<T, Host> positions(host, A.rows / 3, 3);
  grid_coordinates(host, problem, positions.view());
  const auto there = reference::upload(ctx, reference::download(host, positions), 3);
  // The last threshold is the default, but given.
  for (const auto& [density_limit, threshold] :
       {std::pair(10.0, std::optional<double>()), {0.5, {}}, {0.5, std::optional(0.35)}}) {
    AmgOptions amg = small_levels();
    amg.direct_solve_limit = 100;
    amg.density_limit = density_limit;
    amg.strength.threshold = threshold;
    AmgSolver<T, S> solver(amg, reusing<T>(Reuse::pattern));
    solver.setup(ctx, borrow(A), {}, there.view());
    EXPECT_EQ(solver.summary().levels.front().density < 0.5, density_limit < 1.0 && !threshold);
    const Solve<T> first = solve(ctx, solver, A.rows);
    solver.update_values(ctx, borrow(A));
    const Solve<T> second = solve(ctx, solver, A.rows);
    EXPECT_EQ(second.result.residual_history, first.result.residual_history);
    EXPECT_EQ(second.x, first.x);
  }
}

TYPED_TEST(Reuses, PatternWithNewValuesServesAsWellAsASetup) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const Precision precision : {Precision::same, Precision::mixed}) {
    AmgOptions amg = small_levels();
    // All connections are strong whatever the coefficient, so that aggregates do not depend on it.
    amg.strength = {.measure = StrengthMeasure::symmetric, .threshold = 0.0};
    amg.precision = precision;
    AmgSolver<T, S> solver(amg, reusing<T>(Reuse::pattern));
    solver.setup(ctx, reference::upload(ctx, checkerboard<T>(host, 1.0)));
    // Values of another magnitude, too.
    const double far = sizeof(T) == sizeof(double) ? 1e60 : 1e15;
    for (const auto& [high, scale] : {std::pair(2.0, 100.0), {30.0, far}, {30.0, 1.0 / far}}) {
      const auto A = reference::upload(ctx, checkerboard<T>(host, high, scale));
      solver.update_values(ctx, borrow(A));
      const Solve<T> updated = solve(ctx, solver, A.rows);
      AmgSolver<T, S> fresh(amg, reusing<T>(Reuse::none));
      fresh.setup(ctx, borrow(A));
      EXPECT_NEAR(updated.result.iterations, solve(ctx, fresh, A.rows).result.iterations, 1);
    }
  }
}

TYPED_TEST(Reuses, ASingleLevelWhichIsFactoredAnew) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const Reuse reuse : {Reuse::pattern, Reuse::hierarchy}) {
    for (const Index n : {1, 5, 20}) {
      AmgSolver<T, S> solver({}, reusing<T>(reuse));
      const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({n, n}), Discretization::fd));
      solver.setup(ctx, reference::upload(ctx, borrow(A)));
      const std::vector<T> x = solve(ctx, solver, A.rows).x;
      for (int update = 0; update < 3; ++update) {
        solver.update_values(ctx, reference::upload(ctx, borrow(A)));
        EXPECT_EQ(solve(ctx, solver, A.rows).x, x);
      }
      EXPECT_FALSE(has_note(ctx.profile(), "set up anew"));
    }
  }
}

TYPED_TEST(Reuses, ValuesInOtherUnitsTakeAsManyIterations) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto times = [&](int exponent) {
    return reference::upload(ctx, checkerboard<T>(host, 10.0, std::ldexp(1.0, exponent)));
  };
  for (const Reuse reuse : {Reuse::none, Reuse::pattern, Reuse::hierarchy}) {
    for (const Precision precision : {Precision::same, Precision::automatic}) {
      AmgOptions options = small_levels();
      options.precision = precision;
      AmgSolver<T, S> solver(options, reusing<T>(reuse));
      const auto A = times(0);
      solver.setup(ctx, borrow(A));
      const int first = solve(ctx, solver, A.rows).result.iterations;
      for (const int exponent : {1, 10, 40, -1, -10, -40, 0}) {
        solver.update_values(ctx, times(exponent));
        EXPECT_NEAR(solve(ctx, solver, A.rows).result.iterations, first, exponent == 1 ? 4 : 0) << exponent;
      }
    }
  }
}

TYPED_TEST(Reuses, ValuesThatCannotBeSetUpLeaveNothingToSolveWith) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto with_diagonal = [&](T entry) {
    CsrMatrix<T, Host> A = checkerboard<T>(host, 10.0);
    constexpr Index row = 7;
    const Index* const end = A.col_indices.data() + A.row_offsets.data()[row + 1];
    const Index* const begin = A.col_indices.data() + A.row_offsets.data()[row];
    const auto place = std::find(begin, end, row) - A.col_indices.data();
    A.values.data()[place] = entry;
    return reference::upload(ctx, std::move(A));
  };
  for (const Reuse reuse : {Reuse::none, Reuse::pattern, Reuse::hierarchy}) {
    AmgSolver<T, S> solver(small_levels(), reusing<T>(reuse));
    const auto A = reference::upload(ctx, checkerboard<T>(host, 10.0));
    solver.setup(ctx, borrow(A));
    const std::vector<T> x = solve(ctx, solver, A.rows).x;
    EXPECT_THROW(solver.update_values(ctx, with_diagonal(std::numeric_limits<T>::quiet_NaN())), InputError);
    EXPECT_EQ(solve(ctx, solver, A.rows).x, x);
    EXPECT_THROW(solver.update_values(ctx, with_diagonal(T{-4})), BreakdownError);
    try {
      solve(ctx, solver, A.rows);
      ADD_FAILURE() << "solved by nothing";
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), "setup() has not run, or failed, or update_values() has failed since");
    }
    solver.update_values(ctx, borrow(A));
    EXPECT_EQ(solve(ctx, solver, A.rows).x, x);
  }
}

TYPED_TEST(Reuses, NothingIsASetup) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  AmgSolver<T, S> solver(small_levels(), reusing<T>(Reuse::none));
  solver.setup(ctx, reference::upload(ctx, checkerboard<T>(host, 1.0)));
  const auto A = reference::upload(ctx, checkerboard<T>(host, 30.0));
  solver.update_values(ctx, borrow(A));
  const Solve<T> updated = solve(ctx, solver, A.rows);
  AmgSolver<T, S> fresh(small_levels(), reusing<T>(Reuse::none));
  fresh.setup(ctx, borrow(A));
  EXPECT_EQ(updated.x, solve(ctx, fresh, A.rows).x);
}

/// The same for what does not depend on the value type.
template <class I>
class ReusesInDouble : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(ReusesInDouble, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(ReusesInDouble, LeavesTheMatricesOfTheCallerAlone) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, checkerboard<double>(host, 1.0));
  const std::vector<double> values = reference::download(ctx, A.values.span());
  AmgSolver<double, S> solver(small_levels(), reusing<double>(Reuse::pattern));
  solver.setup(ctx, borrow(A));
  solver.update_values(ctx, reference::upload(ctx, checkerboard<double>(host, 5.0)));
  solve(ctx, solver, A.rows);
  EXPECT_EQ(reference::download(ctx, A.values.span()), values);
}

// Slices that are alike are stored beside a matrix that the host borrows; where they no longer are that stays alone.
TYPED_TEST(ReusesInDouble, TakesNoMoreRoomForUnlikeSlicesThanASetup) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto alike = amgsolve::upload(ctx, checkerboard<double>(host, 1.0));
  GeneratedProblem problem = reference::poisson(reference::grid({24, 20, 16}), Discretization::fd);
  problem.pde = Pde::diffusion;
  problem.coefficient = {CoefficientType::random, 1.0, 1.0, 1.5, 1, 7};
  const auto others = amgsolve::upload(ctx, generate_matrix<double>(host, problem));
  const auto set_up = [&](const CsrMatrix<double, S>& A) {
    AmgSolver<double, S> solver(small_levels(), reusing<double>(Reuse::pattern));
    solver.setup(ctx, borrow(A));
    return solver;
  };
  auto solver = set_up(alike);
  auto expected = set_up(others);
  const auto bytes = [](const AmgSolver<double, S>& of) { return of.summary().levels.front().bytes; };
  if constexpr (std::is_same_v<S, Host>) {  // on a device so few entries stay in CSR
    EXPECT_LT(bytes(solver), bytes(expected));
  }
  solver.update_values(ctx, borrow(others));
  EXPECT_EQ(bytes(solver), bytes(expected));
  EXPECT_EQ(solve(ctx, solver, others.rows).result.reason, StopReason::converged);
}

/// Second differences that take the constant to `shift` times it.
CsrMatrix<double, Host> shifted(Context<Host>& host, double shift) {
  GeneratedProblem problem = reference::poisson(reference::grid({50, 50}), Discretization::fd);
  problem.boundary = Boundary::neumann;
  auto A = generate_matrix<double>(host, problem);
  for (Index i = 0; i < A.rows; ++i) {
    for (Offset k = A.row_offsets[static_cast<std::size_t>(i)]; k < A.row_offsets[static_cast<std::size_t>(i) + 1];
         ++k) {
      const auto entry = static_cast<std::size_t>(k);
      A.values[entry] += A.col_indices[entry] == i ? shift : 0.0;
    }
  }
  return A;
}

TYPED_TEST(ReusesInDouble, NoHierarchyInFloatForAMatrixThatItIsSingularFor) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto solve_with = [&](AmgSolver<double, S>& solver) {
    return solve(ctx, solver, shifted(host, 1.0).rows).result.iterations;
  };
  for (const double shift : {1e-7, 1e-9}) {
    AmgSolver<double, S> fresh({}, reusing<double>(Reuse::pattern));
    fresh.setup(ctx, reference::upload(ctx, shifted(host, shift)));
    AmgSolver<double, S> updated({}, reusing<double>(Reuse::pattern));
    updated.setup(ctx, reference::upload(ctx, shifted(host, 1.0)));
    solve_with(updated);
    updated.update_values(ctx, reference::upload(ctx, shifted(host, shift)));
    EXPECT_EQ(solve_with(updated), solve_with(fresh));
  }
  EXPECT_TRUE(has_note(ctx.profile(), "set up anew: the matrix is none for the hierarchy that was kept"));
}

TYPED_TEST(ReusesInDouble, PatternOfLevelsFilteredInBlocks) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const std::array<Index, 2> cells = {40, 20};
  const auto A = reference::upload(ctx, reference::plane_strain(host, cells, 8.0));
  const auto other = reference::upload(ctx, reference::plane_strain(host, cells, 6.0));
  const MultiVector<double, Host> modes = reference::rigid_body_modes(host, cells, 8.0, 2);
  MultiVector<double, S> candidates(ctx, A.rows, modes.columns());
  upload<double>(ctx, {modes.data(), modes.size()}, Span<double, S>(candidates.data(), candidates.size()));
  AmgOptions amg = small_levels();
  amg.block_size = 2;
  AmgSolver<double, S> solver(amg, reusing<double>(Reuse::pattern));
  solver.setup(ctx, borrow(A), std::as_const(candidates));
  EXPECT_GT(solver.summary().levels.front().dropped_weight, 0.0);
  const Solve<double> first = solve(ctx, solver, A.rows);
  solver.update_values(ctx, borrow(other));
  solve(ctx, solver, A.rows);
  solver.update_values(ctx, borrow(A));
  EXPECT_EQ(solve(ctx, solver, A.rows).x, first.x);
}

TYPED_TEST(ReusesInDouble, KeepsTheNearNullspaceOfTheCaller) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, checkerboard<double>(host, 10.0));
  MultiVector<double, S> candidates(ctx, A.rows);
  fill_random<double>(ctx, 3, candidates);
  // A solve that stops at the limit forces a setup.
  SolverOptions options = reusing<double>(Reuse::hierarchy);
  options.max_iterations = 1;
  AmgSolver<double, S> limited(small_levels(), options);
  limited.setup(ctx, borrow(A), std::as_const(candidates));
  MultiVector<double, S> b(ctx, A.rows);
  MultiVector<double, S> x(ctx, A.rows);
  fill_random<double>(ctx, 7, b);
  fill<double>(ctx, 0.0, x);
  const SolveResult before = limited.solve(ctx, std::as_const(b), x);
  limited.update_values(ctx, borrow(A));
  EXPECT_TRUE(has_note(ctx.profile(), "set up anew"));
  fill<double>(ctx, 0.0, x);
  EXPECT_EQ(limited.solve(ctx, std::as_const(b), x).residual_history, before.residual_history);

  AmgSolver<double, S> forgetful(small_levels(), reusing<double>(Reuse::none));
  forgetful.setup(ctx, borrow(A), std::as_const(candidates));
  EXPECT_THROW(forgetful.update_values(ctx, borrow(A)), std::invalid_argument);
}

TYPED_TEST(ReusesInDouble, RefusesOtherSizesAndBadValues) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  AmgSolver<double, S> solver(small_levels(), reusing<double>(Reuse::pattern));
  const auto poisson = [&](std::int64_t n) {
    return generate_matrix<double>(host, reference::poisson(reference::grid({n, n}), Discretization::fd));
  };
  auto A = poisson(20);
  EXPECT_THROW(solver.update_values(ctx, reference::upload(ctx, borrow(A))), std::invalid_argument);
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  EXPECT_THROW(solver.update_values(ctx, reference::upload(ctx, poisson(21))), std::invalid_argument);
  // As many entries, one of them elsewhere; or offsets that would be followed out of the arrays.
  auto moved = convert_values<double>(host, A);
  ++moved.col_indices[moved.col_indices.size() / 2];
  EXPECT_THROW(solver.update_values(ctx, reference::upload(ctx, std::move(moved))), InputError);
  auto broken = convert_values<double>(host, A);
  broken.row_offsets[200] += 1 << 30;
  EXPECT_THROW(solver.update_values(ctx, reference::upload(ctx, std::move(broken))), InputError);
  solve(ctx, solver, A.rows);
}

}  // namespace
}  // namespace amgsolve
