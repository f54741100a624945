#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "amg/nullspace.hpp"
#include "amg/rigid_body_modes.hpp"
#include "amg/solver.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/blocks.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// Null vectors that are combinations of the candidates, of which none is one by itself.
namespace amgsolve {
namespace {

/// A body that would float, but for springs that hold one of its nodes: it turns about that.
struct HingedBody {
  CsrMatrix<double, Host> A;
  MultiVector<double, Host> coordinates;
  std::vector<double> turn;  ///< a rotation about the node, in the plane of the first two directions
};

HingedBody hinged_body(Context<Host>& host, const StructuredGrid& grid, Index hinge) {
  GeneratedProblem problem = reference::poisson(grid, Discretization::q1);
  problem.pde = Pde::elasticity;
  problem.boundary = Boundary::neumann;
  const Index dimensions = grid.dimensions;
  MultiVector<double, Host> coordinates(host, static_cast<Index>(grid.unknowns()), dimensions);
  grid_coordinates<double, Host>(host, problem, coordinates);
  CsrMatrix<double, Host> A = reference::changed_entries<double>(
      host, generate_matrix<double>(host, problem),
      [&](Index i, Index j, double a) { return i == j && i / dimensions == hinge ? 2.0 * a : a; });
  std::vector<double> turn(static_cast<std::size_t>(A.rows));
  const double* const at = coordinates.data();
  for (Index node = 0; node < coordinates.rows(); ++node) {
    turn[static_cast<std::size_t>(node * dimensions)] = at[hinge * dimensions + 1] - at[node * dimensions + 1];
    turn[static_cast<std::size_t>(node * dimensions + 1)] = at[node * dimensions] - at[hinge * dimensions];
  }
  return {std::move(A), std::move(coordinates), std::move(turn)};
}

template <class T, MemorySpace S>
MultiVector<T, S> modes_of(Context<S>& ctx, const HingedBody& body) {
  const double* const at = body.coordinates.data();
  const std::vector<T> coordinates(at, at + body.coordinates.view().size());
  const Index dimensions = body.coordinates.columns();
  return rigid_body_modes<T>(ctx, reference::upload(ctx, coordinates, dimensions).view(), dimensions);
}

/// Two media in each point, which a flow may leave for the other one: at rest where all pressures are the same.
CsrMatrix<double, Host> two_media(Context<Host>& host, double exchange) {
  GeneratedProblem problem = reference::poisson(reference::grid({21, 20}), Discretization::fd);
  problem.boundary = Boundary::neumann;
  const CsrMatrix<double, Host> K = generate_matrix<double>(host, problem);
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < K.rows; ++i) {
    for (const Index medium : {0, 1}) {
      const Index row = 2 * i + medium;
      for (auto k = static_cast<std::size_t>(K.row_offsets[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(K.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
        const double a = (medium == 0 ? 1.0 : 0.125) * K.values[k];
        entries.push_back({row, 2 * K.col_indices[k] + medium, K.col_indices[k] == i ? a + exchange : a});
      }
      entries.push_back({row, 2 * i + 1 - medium, -exchange});
    }
  }
  return reference::matrix_from_entries<double>(host, 2 * K.rows, 2 * K.rows, entries);
}

double norm(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double entry : x) {
    sum += entry * entry;
  }
  return std::sqrt(sum);
}

/// ‖b‖'s part along y, relative to it.
double part_along(const std::vector<double>& b, const std::vector<double>& y) {
  double product = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    product += b[i] * y[i];
  }
  return std::abs(product) / (norm(b) * norm(y));
}

template <class I>
class NullCombinations : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(NullCombinations, reference::Instances, reference::InstanceNames);

TYPED_TEST(NullCombinations, AreFoundAndProjectedOut) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  const struct {
    StructuredGrid grid;
    Index hinge;
    std::int64_t turns;
  } bodies[] = {
      {reference::grid({19, 13}), 0, 1}, {reference::grid({19, 13}), 108, 1}, {reference::grid({7, 6, 5}), 33, 3}};
  for (const auto& [grid, hinge, turns] : bodies) {
    SCOPED_TRACE(testing::Message() << grid.dimensions << "D, held at " << hinge);
    const HingedBody body = hinged_body(host, grid, hinge);
    Context<S> ctx;
    const MultiVector<T, S> modes = modes_of<T>(ctx, body);
    const Operator<T, S> A(ctx, reference::upload(ctx, convert_values<T>(host, body.A)));
    const Nullspace<T, S> nullspace(ctx, A, modes.view(), grid.dimensions);
    EXPECT_EQ(nullspace.dimension(), turns);
    const std::vector<T> turn(body.turn.begin(), body.turn.end());
    const std::vector<T> any = reference::random_values<T>(turn.size(), 3);
    MultiVector<T, S> left = reference::upload(ctx, turn);
    nullspace.project(ctx, left);
    // The condition number of the modes' images is some tens.
    const double roundings = 1e3 * std::numeric_limits<T>::epsilon();
    EXPECT_LE(norms<T>(ctx, std::as_const(left)).front(), roundings * norm(body.turn));
    MultiVector<T, S> orthogonal = reference::upload(ctx, any);
    nullspace.project(ctx, orthogonal);
    const std::vector<T> after = reference::download(ctx, orthogonal);
    EXPECT_LE(part_along({after.begin(), after.end()}, body.turn), roundings);
    EXPECT_GE(norm({after.begin(), after.end()}), 0.9 * norm({any.begin(), any.end()}));
  }
}

/// A spring that holds one displacement of a second node leaves no null vector.
TYPED_TEST(NullCombinations, AreNotThoseThatAreNearlySo) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  HingedBody body = hinged_body(host, reference::grid({19, 13}), 0);
  const double weak = 1e4 * std::numeric_limits<T>::epsilon();
  const auto A = reference::changed_entries<T>(
      host, convert_values<T>(host, std::move(body.A)),
      [&](Index i, Index j, double a) { return i == j && i == 401 ? (1.0 + weak) * a : a; });
  Context<S> ctx;
  const Operator<T, S> there(ctx, reference::upload(ctx, borrow(A)));
  EXPECT_EQ((Nullspace<T, S>(ctx, there, modes_of<T>(ctx, body).view(), 2)).dimension(), 0);
}

template <class I>
class CombinedNullVectors : public reference::SpaceTest<typename I::Space> {
 protected:
  using S = typename I::Space;

  /// Solves for a random right-hand side, of which what is along y is left out.
  void expect_solved(const CsrMatrix<double, Host>& A, const std::vector<double>& y, const AmgOptions& amg,
                     MultiVectorView<const double, Host> coordinates, int most_iterations) {
    Context<S> ctx;
    const std::vector<double> b = reference::random_values<double>(static_cast<std::size_t>(A.rows), 8);
    AmgSolver<double, S> solver(amg, {});
    const std::vector<double> at(coordinates.data, coordinates.data + coordinates.size());
    const MultiVector<double, S> there =
        at.empty() ? MultiVector<double, S>() : reference::upload(ctx, at, coordinates.columns);
    solver.setup(ctx, reference::upload(ctx, borrow(A)), {}, there.view());
    MultiVector<double, S> x(ctx, A.rows);
    fill<double>(ctx, 0.0, x);
    const SolveResult result = solver.solve(ctx, reference::upload(ctx, b), x);
    EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
    EXPECT_LE(result.iterations, most_iterations);
    EXPECT_NEAR(result.outside_range, part_along(b, y), 1e-10);
    EXPECT_LE(part_along(reference::download(ctx, x), y), 1e-6);
  }

  Context<Host> host_;
};
TYPED_TEST_SUITE(CombinedNullVectors, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(CombinedNullVectors, OfABodyThatTurns) {
  for (const Index hinge : {0, 40 * 12 + 17}) {
    SCOPED_TRACE(hinge);
    const HingedBody body = hinged_body(this->host_, reference::grid({40, 30}), hinge);
    this->expect_solved(body.A, body.turn, {}, body.coordinates.view(), 15);
  }
}

TYPED_TEST(CombinedNullVectors, OfMediaThatExchange) {
  AmgOptions amg;
  amg.block_size = 2;
  amg.coarse_size = 50;
  amg.direct_solve_limit = 50;
  for (const double exchange : {0x1p-10, 0.5, 4.0}) {
    SCOPED_TRACE(exchange);
    const CsrMatrix<double, Host> A = two_media(this->host_, exchange);
    this->expect_solved(A, std::vector<double>(static_cast<std::size_t>(A.rows), 1.0), amg, {}, 20);
  }
}

/// Three rows look like a node of three unknowns.
TYPED_TEST(CombinedNullVectors, OfAPairBesideAnother) {
  const CsrMatrix<double, Host> A = reference::matrix_from_entries<double>(
      this->host_, 3, 3, {{0, 0, 1.0}, {1, 1, 0.125}, {1, 2, -0.125}, {2, 1, -0.125}, {2, 2, 0.125}});
  this->expect_solved(A, {0.0, 1.0, 1.0}, {}, {}, 2);
}

}  // namespace
}  // namespace amgsolve
