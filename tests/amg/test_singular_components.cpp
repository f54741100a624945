#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/blocks.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// Matrices of which some components of the graph are singular and others are not. A small one comes down to a node
/// whose row is what rounding leaves of zero, with either sign.
namespace amgsolve {
namespace {

using reference::Entry;

/// The Laplacian of a complete graph with random weights, and `mass` times the diagonal beside.
CsrMatrix<double, Host> weighted_graph(Context<Host>& host, Index nodes, double mass, unsigned seed) {
  const auto n = static_cast<std::size_t>(nodes);
  const std::vector<double> weights = reference::random_values<double>(n * n, seed);
  std::vector<Entry> entries;
  for (Index i = 0; i < nodes; ++i) {
    double sum = 0.0;
    for (Index j = 0; j < nodes; ++j) {
      const double weight =
          std::abs(weights[static_cast<std::size_t>(std::min(i, j)) * n + static_cast<std::size_t>(std::max(i, j))]);
      sum += i == j ? 0.0 : weight;
      if (i != j) {
        entries.push_back({i, j, -weight});
      }
    }
    entries.push_back({i, i, sum * (1.0 + mass)});
  }
  return reference::matrix_from_entries<double>(host, nodes, nodes, entries);
}

/// Second differences with the derivative of a flow: `ahead` behind the diagonal, the rest of it before. A ring takes
/// the constant to zero, and so does its transpose.
CsrMatrix<double, Host> flow(Context<Host>& host, Index nodes, double ahead, bool is_ring) {
  std::vector<Entry> entries;
  for (Index i = 0; i < nodes; ++i) {
    entries.push_back({i, i, 2.0});
    if (is_ring || i + 1 < nodes) {
      entries.push_back({i, (i + 1) % nodes, -ahead});
    }
    if (is_ring || i > 0) {
      entries.push_back({i, (i + nodes - 1) % nodes, ahead - 2.0});
    }
  }
  return reference::matrix_from_entries<double>(host, nodes, nodes, entries);
}

CsrMatrix<double, Host> grounded(Context<Host>& host) {
  return generate_matrix<double>(host, reference::poisson(reference::grid({40, 40}), Discretization::fd));
}

template <class I>
class SingularComponents : public reference::SpaceTest<typename I::Space> {
 protected:
  using S = typename I::Space;

  /// Solves with a right-hand side near the constant, most of whose part in small components is out of the range.
  SolveResult solve(const std::vector<CsrMatrix<double, Host>>& components,
                    Precision precision = Precision::automatic) {
    Context<S> ctx;
    const CsrMatrix<double, Host> A = reference::shuffled_blocks(host_, components).A;
    std::vector<double> b = reference::random_values<double>(static_cast<std::size_t>(A.rows), 8);
    for (double& entry : b) {
      entry = 1.0 + 0.1 * entry;
    }
    AmgOptions amg;
    amg.precision = precision;
    AmgSolver<double, S> solver(amg, {});
    solver.setup(ctx, reference::upload(ctx, borrow(A)));
    MultiVector<double, S> x(ctx, A.rows);
    fill<double>(ctx, 0.0, x);
    const SolveResult result = solver.solve(ctx, reference::upload(ctx, b), x);
    x_ = reference::download(ctx, x);
    return result;
  }

  double largest() const {
    double result = 0.0;
    for (const double entry : x_) {
      result = std::max(result, std::abs(entry));
    }
    return result;
  }

  Context<Host> host_;
  std::vector<double> x_;
};
TYPED_TEST_SUITE(SingularComponents, reference::DoubleInstances, reference::InstanceNames);

/// A hierarchy in float leaves them a pivot of 1e-4 and more.
TYPED_TEST(SingularComponents, AreKnownWhereRoundingErrorsOfFloatHideThem) {
  for (const double epsilon : {1.0, 1e-2, 1e-3, 1e-4}) {
    for (const std::int64_t n : {49, 90, 190}) {
      SCOPED_TRACE(testing::Message() << n << " rows of points, " << epsilon);
      GeneratedProblem problem = reference::poisson(reference::grid({n + 7, n}), Discretization::fd);
      problem.pde = Pde::diffusion;
      problem.anisotropy.epsilon = epsilon;
      problem.boundary = Boundary::neumann;
      std::vector<CsrMatrix<double, Host>> components;
      components.push_back(generate_matrix<double>(this->host_, problem));
      components.push_back(weighted_graph(this->host_, 60, 0.5, 3));
      const SolveResult result = this->solve(components);
      EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
      EXPECT_GT(result.outside_range, 0.5);
      EXPECT_LE(result.iterations, 25);
      EXPECT_LT(this->largest(), 1e6);
    }
  }
}

/// In float what joins the parts of a chain is lost beside what holds them together.
TYPED_TEST(SingularComponents, AreOneWhereFloatTakesThemApart) {
  constexpr Index nodes = 12;
  for (const double jump : {1e3, 1e4, 2e4, 3e4, 1e6}) {
    SCOPED_TRACE(jump);
    const auto weight_behind = [&](Index i) { return i < 0 || i + 1 == nodes ? 0.0 : i % 3 == 2 ? 1.0 : jump; };
    std::vector<Entry> entries;
    for (Index i = 0; i < nodes; ++i) {
      entries.push_back({i, i, weight_behind(i - 1) + weight_behind(i)});
      if (i + 1 < nodes) {
        entries.push_back({i, i + 1, -weight_behind(i)});
        entries.push_back({i + 1, i, -weight_behind(i)});
      }
    }
    std::vector<CsrMatrix<double, Host>> chain;
    chain.push_back(reference::matrix_from_entries<double>(this->host_, nodes, nodes, entries));
    const SolveResult result = this->solve(chain);
    EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
    EXPECT_LE(result.iterations, 3);
  }
}

/// One unknown that is fixed, or a mass that is more than rounding errors, makes it regular, and lets it stay in float.
TYPED_TEST(SingularComponents, AreNotSeenInRegularOnes) {
  GeneratedProblem problem = reference::poisson(reference::grid({100, 90}), Discretization::fd);
  problem.boundary = Boundary::neumann;
  for (const double mass : {0.0, 1e-3}) {
    CsrMatrix<double, Host> A = generate_matrix<double>(this->host_, problem);
    for (Index i = 0; i < A.rows; ++i) {
      for (auto k = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
        A.values[k] += A.col_indices[k] != i ? 0.0 : mass > 0.0 ? mass : i == 17 ? 1.0 : 0.0;
      }
    }
    Context<typename TypeParam::Space> ctx;
    AmgSolver<double, typename TypeParam::Space> solver({}, {});
    solver.setup(ctx, reference::upload(ctx, borrow(A)));
    EXPECT_FALSE(solver.summary().may_be_singular) << mass;
  }
}

TYPED_TEST(SingularComponents, AreKnownWhateverTheSignOfARounding) {
  for (const Precision precision : {Precision::same, Precision::mixed}) {
    for (const Index nodes : {2, 3, 6, 20}) {
      for (unsigned seed = 0; seed < 6; ++seed) {
        SCOPED_TRACE(testing::Message() << nodes << " nodes, seed " << seed);
        std::vector<CsrMatrix<double, Host>> components;
        components.push_back(grounded(this->host_));
        components.push_back(weighted_graph(this->host_, nodes, 0.0, 100 * seed + static_cast<unsigned>(nodes)));
        const SolveResult result = this->solve(components, precision);
        EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
        EXPECT_LE(result.iterations, 20);
        EXPECT_GT(result.outside_range, 0.0);
        EXPECT_LE(this->largest(), 1000.0);
      }
    }
  }
}

// Rows as small, or smaller, that are no roundings: each of them takes an iteration where nothing corrects it.
TYPED_TEST(SingularComponents, AreNotThoseThatAreNearlySingularOrSmall) {
  std::vector<CsrMatrix<double, Host>> components;
  components.push_back(grounded(this->host_));
  components.push_back(weighted_graph(this->host_, 7, 0.0, 3));
  for (int i = 0; i < 60; ++i) {
    components.push_back(
        weighted_graph(this->host_, 5 + i % 4, std::pow(10.0, -2.0 - 0.1 * i), 200U + static_cast<unsigned>(i)));
    auto& values = components.back().values;
    for (double& value : values.span()) {
      value = std::ldexp(value, -i / 2);
    }
  }
  const SolveResult result = this->solve(components);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LE(result.iterations, 25);
}

TYPED_TEST(SingularComponents, OfMatricesThatAreNotSymmetric) {
  for (const Index nodes : {3, 5, 8}) {
    SCOPED_TRACE(nodes);
    std::vector<CsrMatrix<double, Host>> components;
    components.push_back(flow(this->host_, 2000, 0.7, false));
    components.push_back(flow(this->host_, nodes, 0.7, true));
    const SolveResult result = this->solve(components);
    EXPECT_LE(result.reason, StopReason::attained) << describe(result.reason);
    EXPECT_GT(result.outside_range, 0.0);
    EXPECT_LE(this->largest(), 1e7);
  }
}

}  // namespace
}  // namespace amgsolve
