#include "amg/constants_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "amg/matrix_analysis.hpp"
#include "amg/solver.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

/// D A D with d alternating between 1e3 and 1e-3 from row to row.
CsrMatrix<double, Host> scaled_in_turn(CsrMatrix<double, Host> A) {
  return reference::in_units(std::move(A), [](Index i) { return i % 2 == 0 ? 1e3 : 1e-3; });
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
  const std::vector<double> ones(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> candidate = ones;
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
  const MultiVector<double, S> ones_there = reference::upload(ctx, ones);
  const SolveResult slow = solve(ones_there.view());
  ASSERT_GE(slow.iterations, slow_iterations);
  ASSERT_TRUE(slow.slow.has_value());
  EXPECT_GT(slow.slow->defect, 0.9);
  EXPECT_LT(slow.slow->scaled_defect, 0.1);
  EXPECT_EQ(slow.slow->node_size, 1);
  const MultiVector<double, S> candidate_there = reference::upload(ctx, candidate);
  const SolveResult quick = solve(candidate_there.view());
  EXPECT_LE(quick.iterations, 30);
  EXPECT_FALSE(quick.slow.has_value());
  EXPECT_EQ(solve({}).iterations, quick.iterations);
}

/// Of two halves without couplings between them one has the other sign.
TYPED_TEST(Constants, AreScaledByDiagonalsOfEitherSign) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto whole =
      scaled_in_turn(generate_matrix<double>(host, reference::poisson(reference::grid({71, 70}), Discretization::fd)));
  const auto look = [&](bool negates_first) {
    const auto A = reference::changed_entries<double>(host, whole, [&](Index i, Index j, double a) {
      const bool is_first = i < whole.rows / 2;
      return is_first != (j < whole.rows / 2) ? 0.0 : is_first == negates_first ? -a : a;
    });
    return check_constants(ctx, Operator<double, S>(ctx, reference::upload(ctx, borrow(A)), Storage::csr), 1).value();
  };
  EXPECT_LT(look(false).scaled_defect, 0.2);
  EXPECT_EQ(look(true).scaled_defect, look(false).scaled_defect);
}

// They are looked at behind the last iteration, where x is as it will be handed over.
TYPED_TEST(Constants, AStopWhileTheyAreLookedAtComesTooLate) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A =
      scaled_in_turn(generate_matrix<double>(host, reference::poisson(reference::grid({71, 71}), Discretization::fd)));
  AmgSolver<double, S> solver({}, {.tolerance = 0.0, .max_iterations = slow_iterations});
  const std::vector<double> ones(static_cast<std::size_t>(A.rows), 1.0);
  const MultiVector<double, S> constants = reference::upload(ctx, ones);
  solver.setup(ctx, reference::upload(ctx, borrow(A)), constants.view());
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

/// A body that is clamped at an end, as it is set up and told of.
struct Body {
  CsrMatrix<double, Host> A;
  std::vector<double> coordinates;  ///< of the nodes, in the order of `problem`
  std::vector<double> near_nullspace{};
  Numbering numbering = Numbering::by_node;
};

/// What an analysis sees, and a slow solve, which has to be the same.
template <MemorySpace S>
ModesCheck look_at(Context<S>& ctx, const Body& body) {
  const auto A = reference::upload(ctx, borrow(body.A));
  const auto coordinates = reference::upload(ctx, body.coordinates, 3);
  const auto near_nullspace = reference::upload(ctx, body.near_nullspace, 3);
  AmgOptions amg;
  amg.unknowns = body.numbering;
  if (!body.near_nullspace.empty()) {
    amg.block_size = 3;
  }
  const auto none = MultiVectorView<const double, S>{};
  const auto nodes = body.near_nullspace.empty() ? coordinates.view() : none;
  const auto given = body.near_nullspace.empty() ? none : near_nullspace.view();
  const ModesCheck seen = analyse_matrix<double>(ctx, A, amg, given, nodes).constants.value().modes;
  amg.smoother = {.type = SmootherType::jacobi, .damping = 0.02};
  AmgSolver<double, S> solver(amg, {.method = Method::amg, .max_iterations = slow_iterations});
  solver.setup(ctx, borrow(A), given, nodes);
  MultiVector<double, S> b(ctx, A.rows);
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  const SolveResult slow = solver.solve(ctx, std::as_const(b), x);
  EXPECT_EQ(slow.iterations, slow_iterations);
  const ModesCheck after = slow.slow.value().modes;
  EXPECT_EQ(after.modes, seen.modes);
  EXPECT_EQ(after.numbering, seen.numbering);
  EXPECT_EQ(after.fail_by_numbering(), seen.fail_by_numbering());
  EXPECT_EQ(after.fail_by_vectors(), seen.fail_by_vectors());
  EXPECT_EQ(after.of_constants.share, seen.of_constants.share);
  return seen;
}

TYPED_TEST(Constants, ModesAreThoseOfTheRowsInTheirOrder) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  GeneratedProblem problem = reference::poisson(reference::grid({5, 6, 6}), Discretization::q1);
  problem.pde = Pde::elasticity;
  problem.boundary = Boundary::clamped_face;
  const auto by_node = generate_matrix<double>(host, problem);
  const auto by_field = reference::by_field(host, by_node, 3);
  MultiVector<double, Host> lie(host, by_node.rows / 3, 3);
  grid_coordinates(host, problem, lie.view());
  const std::vector<double> coordinates(lie.data(), lie.data() + lie.size());
  const auto copy = [&](const CsrMatrix<double, Host>& A) { return convert_values<double>(host, A); };
  {
    SCOPED_TRACE("as they are");
    for (const Numbering numbering : {Numbering::by_node, Numbering::by_field}) {
      const bool is_by_field = numbering == Numbering::by_field;
      const ModesCheck seen = look_at(ctx, {copy(is_by_field ? by_field : by_node), coordinates, {}, numbering});
      EXPECT_EQ(seen.modes, Modes::of_coordinates);
      EXPECT_LT(seen.of_constants.share, 0.3);
      EXPECT_LT(seen.of_vectors.share, 0.3);
      EXPECT_FALSE(seen.fail_by_numbering() || seen.fail_by_vectors());
    }
  }
  {
    SCOPED_TRACE("the other numbering");
    EXPECT_TRUE(look_at(ctx, {copy(by_field), coordinates}).fail_by_numbering());
    EXPECT_TRUE(look_at(ctx, {copy(by_node), coordinates, {}, Numbering::by_field}).fail_by_numbering());
  }
  {
    SCOPED_TRACE("nodes in another order");
    std::vector<double> turned = coordinates;
    const std::size_t nodes = turned.size() / 3;
    for (std::size_t node = 0; node < nodes; ++node) {
      const std::size_t from = 7 * node % nodes;  // 7 and 180 have no common factor
      std::copy_n(coordinates.begin() + 3 * static_cast<std::ptrdiff_t>(from), 3,
                  turned.begin() + 3 * static_cast<std::ptrdiff_t>(node));
    }
    const ModesCheck seen = look_at(ctx, {copy(by_node), turned});
    EXPECT_TRUE(seen.fail_by_vectors());
    EXPECT_FALSE(seen.fail_by_numbering());
    EXPECT_TRUE(look_at(ctx, {copy(by_field), turned}).fail_by_numbering());
  }
  {
    SCOPED_TRACE("a mass term, for which no coordinates are to blame");
    auto heavy = copy(by_node);
    for (std::size_t i = 0; i < static_cast<std::size_t>(heavy.rows); ++i) {
      for (auto k = static_cast<std::size_t>(heavy.row_offsets[i]);
           k < static_cast<std::size_t>(heavy.row_offsets[i + 1]); ++k) {
        heavy.values[k] *= heavy.col_indices[k] == static_cast<Index>(i) ? 2.0 : 1.0;
      }
    }
    const ModesCheck seen = look_at(ctx, {std::move(heavy), coordinates});
    EXPECT_TRUE(seen.of_vectors.are_most());
    EXPECT_FALSE(seen.fail_by_vectors() || seen.fail_by_numbering());
  }
  {
    SCOPED_TRACE("a near-nullspace");
    std::vector<double> translations(3 * static_cast<std::size_t>(by_node.rows), 0.0);
    std::vector<double> others = translations;
    for (std::size_t i = 0; i < translations.size() / 3; ++i) {
      translations[3 * i + i % 3] = 1.0;
      others[3 * i + i % 3] = i % 2 == 0 ? 1.0 : -1.0;
    }
    const ModesCheck right = look_at(ctx, {copy(by_node), coordinates, translations});
    EXPECT_EQ(right.modes, Modes::given);
    EXPECT_FALSE(right.fail_by_vectors() || right.fail_by_numbering());
    EXPECT_TRUE(look_at(ctx, {copy(by_node), coordinates, others}).fail_by_vectors());
  }
}

}  // namespace
}  // namespace amgsolve
