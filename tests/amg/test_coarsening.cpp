#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <vector>

#include "amg/aggregation.hpp"
#include "amg/mis2.hpp"
#include "amg/strength.hpp"
#include "problems/generate.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::DenseMatrix;

template <class T>
Buffer<T, Host> diagonal_of(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  Buffer<T, Host> d(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, d);
  return d;
}

template <class T>
Graph<Host> graph_of(Context<Host>& ctx, const CsrMatrix<T, Host>& A, double threshold = 0.0) {
  const auto d = diagonal_of(ctx, A);
  return strength_graph<T>(ctx, A, d, threshold);
}

/// Graphs that aggregation has to cope with: grids, random ones, isolated nodes, one node.
std::vector<Graph<Host>> graphs(Context<Host>& ctx) {
  std::vector<Graph<Host>> result;
  result.push_back(
      graph_of(ctx, generate_matrix<double>(ctx, reference::poisson(reference::grid({40, 31}), Discretization::fd))));
  result.push_back(
      graph_of(ctx, generate_matrix<double>(ctx, reference::poisson(reference::grid({120, 101}), Discretization::q1))));
  result.push_back(graph_of(
      ctx, generate_matrix<double>(ctx, reference::poisson(reference::grid({12, 11, 10}), Discretization::q1))));
  result.push_back(graph_of(ctx, reference::random_spd_matrix<double>(ctx, 700, 3, 5)));
  result.push_back(
      graph_of(ctx, reference::matrix_from_entries<double>(
                        ctx, 5, 5, {{0, 0, 1}, {1, 1, 1}, {1, 3, -1}, {2, 2, 1}, {3, 1, -1}, {3, 3, 1}, {4, 4, 1}})));
  result.push_back(graph_of(ctx, reference::matrix_from_entries<double>(ctx, 1, 1, {{0, 0, 2}})));
  return result;
}

/// Edges to the nearest of the sources, by breadth-first search; −1 where there is no path.
std::vector<int> distances(const Graph<Host>& graph, const std::vector<Index>& sources) {
  std::vector<int> distance(static_cast<std::size_t>(graph.nodes), -1);
  std::queue<Index> queue;
  for (const Index source : sources) {
    distance[static_cast<std::size_t>(source)] = 0;
    queue.push(source);
  }
  while (!queue.empty()) {
    const auto node = static_cast<std::size_t>(queue.front());
    queue.pop();
    for (Offset k = graph.row_offsets[node]; k < graph.row_offsets[node + 1]; ++k) {
      const Index next = graph.col_indices[static_cast<std::size_t>(k)];
      if (distance[static_cast<std::size_t>(next)] < 0) {
        distance[static_cast<std::size_t>(next)] = distance[node] + 1;
        queue.push(next);
      }
    }
  }
  return distance;
}

bool isolated(const Graph<Host>& graph, std::size_t node) {
  return graph.row_offsets[node] == graph.row_offsets[node + 1];
}

template <class Instance>
class Strength : public ::testing::Test {};
TYPED_TEST_SUITE(Strength, reference::HostInstances, reference::InstanceNames);

TYPED_TEST(Strength, KeepsWhatTheSymmetricMeasureCallsStrong) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  const auto A = reference::random_spd_matrix<T>(ctx, 60, 6, 3);
  const DenseMatrix dense = reference::to_dense(A);
  for (const double theta : {0.0, 0.05, 0.25}) {
    const Graph<Host> graph = graph_of(ctx, A, theta);
    for (Index i = 0; i < A.rows; ++i) {
      std::vector<Index> expected;
      for (Index j = 0; j < A.rows; ++j) {
        if (i != j && std::abs(dense(i, j)) > theta * std::sqrt(dense(i, i) * dense(j, j))) {
          expected.push_back(j);
        }
      }
      const auto row = static_cast<std::size_t>(i);
      const std::vector<Index> kept(graph.col_indices.data() + graph.row_offsets[row],
                                    graph.col_indices.data() + graph.row_offsets[row + 1]);
      EXPECT_EQ(kept, expected) << "row " << i << ", threshold " << theta;
    }
  }
}

TYPED_TEST(Strength, DropsStoredZeros) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  const auto A = generate_matrix<T>(ctx, reference::poisson(reference::grid({5, 5, 5}), Discretization::q1));
  const Graph<Host> graph = graph_of(ctx, A);
  // Of the 26 neighbours of the centre the 6 across faces have the value 0.
  EXPECT_EQ(graph.row_offsets[63] - graph.row_offsets[62], 20);
}

TYPED_TEST(Strength, AmalgamatesBlocksToTheirNorms) {
  using T = typename TypeParam::Value;
  for (const int threads : {1, 3}) {
    Context<Host> ctx(threads);
    const Index b = 3;
    const auto A = reference::random_spd_matrix<T>(ctx, 3 * 40, 7, 11);
    const DenseMatrix dense = reference::to_dense(A);
    const auto norms = amalgamate(ctx, A, b);
    const DenseMatrix dense_norms = reference::to_dense(norms);
    ASSERT_EQ(norms.rows, 40);
    for (Index I = 0; I < 40; ++I) {
      for (Index J = 0; J < 40; ++J) {
        double square = 0.0;
        for (Index r = 0; r < b; ++r) {
          for (Index c = 0; c < b; ++c) {
            square += dense(b * I + r, b * J + c) * dense(b * I + r, b * J + c);
          }
        }
        EXPECT_NEAR(dense_norms(I, J), std::sqrt(square), 20 * std::numeric_limits<T>::epsilon() * std::sqrt(square));
      }
    }
  }
}

TEST(Mis2, IsIndependentAtDistanceTwoAndMaximal) {
  Context<Host> ctx;
  for (const Graph<Host>& graph : graphs(ctx)) {
    Buffer<std::uint8_t, Host> in_set(ctx, static_cast<std::size_t>(graph.nodes));
    mis2(ctx, graph, in_set);
    std::vector<Index> members;
    for (Index i = 0; i < graph.nodes; ++i) {
      if (in_set[static_cast<std::size_t>(i)] != 0) {
        members.push_back(i);
        EXPECT_FALSE(isolated(graph, static_cast<std::size_t>(i)));
      }
    }
    for (const Index member : members) {
      const std::vector<int> distance = distances(graph, {member});
      for (const Index other : members) {
        const int d = distance[static_cast<std::size_t>(other)];
        EXPECT_TRUE(other == member || d < 0 || d > 2) << member << " and " << other << " are " << d << " apart";
      }
    }
    const std::vector<int> distance = distances(graph, members);
    for (std::size_t i = 0; i < distance.size(); ++i) {
      EXPECT_TRUE(isolated(graph, i) || (distance[i] >= 0 && distance[i] <= 2)) << "node " << i;
    }
  }
}

TEST(Mis2, PrioritiesAreABijection) {
  for (const std::uint32_t round : {0U, 1U, 7U}) {
    std::vector<MisStatus> values;
    for (Index i = 0; i < 100000; ++i) {
      values.push_back(mis_priority(i * 21000 + 17, round));
    }
    std::sort(values.begin(), values.end());
    EXPECT_EQ(std::adjacent_find(values.begin(), values.end()), values.end());
    EXPECT_GE(values.front(), 1U);
    EXPECT_LE(values.back(), 0x80000000U);
  }
}

TEST(Aggregation, AggregatesAreConnectedBallsThatCoverTheGraph) {
  Context<Host> ctx;
  for (const Graph<Host>& graph : graphs(ctx)) {
    const Aggregates<Host> aggregates = aggregate(ctx, graph);
    std::vector<int> size(static_cast<std::size_t>(aggregates.count));
    for (std::size_t node = 0; node < static_cast<std::size_t>(graph.nodes); ++node) {
      const Index a = aggregates.of_node[node];
      if (isolated(graph, node)) {
        EXPECT_EQ(a, Aggregates<Host>::none);
        continue;
      }
      ASSERT_GE(a, 0);
      ASSERT_LT(a, aggregates.count);
      ++size[static_cast<std::size_t>(a)];
      // Every member but a root on its own has a neighbour in the same aggregate.
      bool linked = false;
      for (Offset k = graph.row_offsets[node]; k < graph.row_offsets[node + 1]; ++k) {
        linked |= aggregates.of_node[static_cast<std::size_t>(graph.col_indices[static_cast<std::size_t>(k)])] == a;
      }
      EXPECT_TRUE(linked) << "node " << node;
    }
    for (const int members : size) {
      EXPECT_GE(members, 2);
    }
  }
}

TEST(Aggregation, DoesNotDependOnTheThreads) {
  Context<Host> one(1);
  const auto graph =
      graph_of(one, generate_matrix<double>(one, reference::poisson(reference::grid({150, 140}), Discretization::fd)));
  const Aggregates<Host> expected = aggregate(one, graph);
  for (const int threads : {2, 3, 5}) {
    Context<Host> ctx(threads);
    const Aggregates<Host> aggregates = aggregate(ctx, graph);
    ASSERT_EQ(aggregates.count, expected.count);
    EXPECT_TRUE(
        std::equal(expected.of_node.span().begin(), expected.of_node.span().end(), aggregates.of_node.span().begin()));
  }
}

}  // namespace
}  // namespace amgsolve
