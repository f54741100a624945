#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <vector>

#include "amg/aggregate_nodes.hpp"
#include "amg/aggregation.hpp"
#include "amg/mis2.hpp"
#include "amg/mis2_steps.hpp"
#include "core/errors.hpp"
#include "core/hash.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/coarsening.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::graph_of;

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

struct OrderedGraph {
  Graph<Host> graph;
  MisOrder order;
};

std::vector<OrderedGraph> graphs_in_orders(Context<Host>& ctx) {
  std::vector<OrderedGraph> result;
  for (const MisOrder order : {MisOrder::random, MisOrder::by_degree}) {
    std::vector<Graph<Host>> all = graphs(ctx);
    for (Graph<Host>& graph : all) {
      result.push_back({std::move(graph), order});
    }
  }
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
    for (const Index next : graph.neighbours(node)) {
      if (distance[static_cast<std::size_t>(next)] < 0) {
        distance[static_cast<std::size_t>(next)] = distance[node] + 1;
        queue.push(next);
      }
    }
  }
  return distance;
}

bool isolated(const Graph<Host>& graph, std::size_t node) { return graph.neighbours(node).empty(); }

template <class I>
class Coarsening : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Coarsening, reference::DoubleInstances, reference::InstanceNames);

/// Checks that no two members are within two edges of each other, and all nodes within two of one.
void expect_mis2(const Graph<Host>& graph, const std::vector<std::uint8_t>& in_set) {
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

TYPED_TEST(Coarsening, Mis2IsIndependentAtDistanceTwoAndMaximal) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const auto& [graph, order] : graphs_in_orders(host)) {
    // Strips of graphs of up to 2³⁶ nodes, too, in which a node takes part in one round of 32.
    for (const std::int64_t first : {std::int64_t{0}, (std::int64_t{1} << 31) - 50, std::int64_t{1} << 35}) {
      SCOPED_TRACE(first);
      Graph<S> strip = reference::upload(ctx, graph);
      strip.first_node = first;
      Buffer<std::uint8_t, S> in_set(ctx, static_cast<std::size_t>(graph.nodes));
      mis2(ctx, strip, {}, in_set, order);
      expect_mis2(graph, reference::download(ctx, in_set.span()));
    }
  }
}

/// As those of a rank that has none left, while others go on. Both for lists that a device's host looks at after every
/// round and for others.
TYPED_TEST(Coarsening, RoundsOfMis2FindNothingMoreOnceNothingIsLeft) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const Index pairs : {1000, 300000}) {
    SCOPED_TRACE(pairs);
    std::vector<Offset> offsets = {0};
    std::vector<Index> neighbours;
    for (Index i = 0; i < 2 * pairs; ++i) {
      neighbours.push_back(i ^ 1);
      offsets.push_back(i + 1);
    }
    const Graph<S> graph = reference::upload(ctx, Graph<Host>(2 * pairs, reference::upload_buffer(host, offsets),
                                                              reference::upload_buffer(host, neighbours)));
    const auto n = static_cast<std::size_t>(graph.nodes);
    const MisPriorities priority(0, graph.nodes, MisOrder::random);
    WorkspaceScope<S> scope(ctx.workspace());
    const auto status = scope.template take<MisStatus>(n);
    const auto lowest = scope.template take<MisStatus>(n);
    auto lists = detail::all_unsettled(ctx, graph, scope);
    detail::start_mis2(ctx, graph, {}, priority, status, lowest);
    int rounds = 0;
    for (std::uint32_t round = 1; round <= 20; ++round) {
      if (detail::may_go_on(ctx, lists)) {
        ASSERT_EQ(++rounds, round) << "none was left before";
      }
      detail::find_lowest(ctx, graph, lists.uncovered, status, lowest);
      detail::decide(ctx, graph, lists.undecided, priority, round, lowest, status);
    }
    EXPECT_LT(rounds, 10);
  }
}

TYPED_TEST(Coarsening, Mis2HasNodesOfManyNeighboursFirstWhereItIsTold) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  // Stars side by side: alone among all within two edges of it, the centre has several neighbours.
  constexpr Index stars = 500;
  constexpr Index leaves = 4;
  std::vector<Offset> offsets = {0};
  std::vector<Index> neighbours;
  for (Index star = 0; star < stars; ++star) {
    const Index centre = star * (leaves + 1) + star % (leaves + 1);
    for (Index i = star * (leaves + 1); i < (star + 1) * (leaves + 1); ++i) {
      for (Index j = star * (leaves + 1); j < (star + 1) * (leaves + 1); ++j) {
        if (i != j && (i == centre || j == centre)) {
          neighbours.push_back(j);
        }
      }
      offsets.push_back(std::ssize(neighbours));
    }
  }
  const Graph<Host> graph(stars * (leaves + 1), reference::upload_buffer(host, offsets),
                          reference::upload_buffer(host, neighbours));
  const auto centres = [&](MisOrder order) {
    Buffer<std::uint8_t, S> in_set_there(ctx, static_cast<std::size_t>(graph.nodes));
    mis2(ctx, reference::upload(ctx, graph), {}, in_set_there, order);
    const std::vector<std::uint8_t> in_set = reference::download(ctx, in_set_there.span());
    Index count = 0;
    for (Index star = 0; star < stars; ++star) {
      count += in_set[static_cast<std::size_t>(star * (leaves + 1) + star % (leaves + 1))];
    }
    return count;
  };
  EXPECT_EQ(centres(MisOrder::by_degree), stars);
  // A fifth of them, give or take five standard deviations.
  EXPECT_NEAR(centres(MisOrder::random), stars / (leaves + 1), 45);
}

/// The graph without the nodes that take no part: they keep their numbers and lose their edges.
Graph<Host> induced_subgraph(Context<Host>& ctx, const Graph<Host>& graph, const std::vector<std::uint8_t>& is_active) {
  const auto part = [&](Index node) { return is_active[static_cast<std::size_t>(node)] != 0; };
  std::vector<Offset> offsets = {0};
  std::vector<Index> neighbours;
  for (Index i = 0; i < graph.nodes; ++i) {
    const auto node = static_cast<std::size_t>(i);
    for (const Index j : graph.neighbours(node)) {
      if (part(i) && part(j)) {
        neighbours.push_back(j);
      }
    }
    offsets.push_back(std::ssize(neighbours));
  }
  return {graph.nodes, reference::upload_buffer(ctx, offsets), reference::upload_buffer(ctx, neighbours)};
}

TYPED_TEST(Coarsening, Mis2OfAPartIsThatOfItsInducedSubgraph) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const Graph<Host>& graph : graphs(host)) {
    const auto n = static_cast<std::size_t>(graph.nodes);
    std::vector<std::uint8_t> is_active;
    for (std::size_t i = 0; i < n; ++i) {
      is_active.push_back(i * 2654435761U % 100 < 45 ? 1 : 0);
    }
    const auto in_set_of = [&](const Graph<Host>& part, Span<const std::uint8_t, S> flags) {
      Buffer<std::uint8_t, S> in_set(ctx, n);
      mis2(ctx, reference::upload(ctx, part), flags, in_set);
      return reference::download(ctx, in_set.span());
    };
    const Graph<Host> subgraph = induced_subgraph(host, graph, is_active);
    const Buffer<std::uint8_t, S> flags = reference::upload_buffer(ctx, is_active);
    std::vector<std::uint8_t> members = in_set_of(graph, flags);
    const std::vector<std::uint8_t> expected = in_set_of(subgraph, {});
    for (std::size_t i = 0; i < n; ++i) {
      // Alone in the part, a node is a set by itself; alone in its graph, it is left out.
      const bool alone = is_active[i] != 0 && !isolated(graph, i) && isolated(subgraph, i);
      EXPECT_EQ(members[i], alone ? 1 : expected[i]) << "node " << i;
    }
  }
}

TEST(Mis2, PrioritiesAreABijection) {
  for (const std::int64_t nodes : {std::int64_t{1} << 28, std::int64_t{1} << 31}) {
    const MisPriorities priority(17, nodes, MisOrder::by_degree);
    for (const std::uint32_t round : {0U, 1U, 7U}) {
      std::vector<MisStatus> values;
      for (std::int64_t i = 0; i < 100000; ++i) {
        values.push_back(priority(i * (nodes / 100001), i % 11, round));
      }
      std::sort(values.begin(), values.end());
      EXPECT_EQ(std::adjacent_find(values.begin(), values.end()), values.end());
      EXPECT_GE(values.front(), 1U);
      EXPECT_LE(values.back(), 0x80000000U);
    }
  }
}

TEST(Mis2, NoTwoOfMoreNodesThanPrioritiesHaveTheSameInARound) {
  constexpr std::int64_t nodes = std::int64_t{1} << 33;
  const MisPriorities priority(0, nodes, MisOrder::random);
  for (const std::uint32_t round : {0U, 1U, 7U}) {
    std::vector<MisStatus> values;
    int waiting = 0;
    for (std::int64_t i = 0; i < 25000; ++i) {
      // Four numbers that have their lower 31 bits in common.
      for (std::int64_t node = i * 85899; node < nodes; node += nodes / 4) {
        const MisStatus value = priority(node, 5, round);
        value == mis_waits ? void(++waiting) : values.push_back(value);
      }
    }
    // Three of four wait, give or take five standard deviations.
    EXPECT_NEAR(waiting, 75000, 5 * 137);
    std::sort(values.begin(), values.end());
    EXPECT_EQ(std::adjacent_find(values.begin(), values.end()), values.end());
    EXPECT_GE(values.front(), 1U);
    EXPECT_LE(values.back(), 0x80000000U);
  }
}

TEST(Mis2, PrioritiesFollowTheDegreesWhereNumbersLeaveRoom) {
  const auto later = [](std::int64_t nodes, Offset few, Offset many) {
    const MisPriorities priority(0, nodes, MisOrder::by_degree);
    int count = 0;
    for (std::int64_t i = 0; i + 1 < 1000; ++i) {
      count += priority(i, few, 3) > priority(i + 1, many, 3) ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(later(std::int64_t{1} << 28, 2, 3), 999);
  EXPECT_EQ(later(std::int64_t{1} << 28, 6, 7), 999);
  // At random: half of them, give or take five standard deviations.
  EXPECT_NEAR(later(std::int64_t{1} << 28, 7, 30), 500, 80);
  EXPECT_NEAR(later((std::int64_t{1} << 28) + 1, 2, 3), 500, 80);
}

/// Checks that the aggregates cover the graph and that each is connected as far as neighbours tell; returns their
/// sizes.
std::vector<int> checked_sizes(const Graph<Host>& graph, const Aggregates<Host>& aggregates) {
  std::vector<int> size(static_cast<std::size_t>(aggregates.count));
  for (std::size_t node = 0; node < static_cast<std::size_t>(graph.nodes); ++node) {
    const Index a = aggregates.of_node[node];
    if (isolated(graph, node)) {
      EXPECT_EQ(a, Aggregates<Host>::none);
      continue;
    }
    EXPECT_TRUE(a >= 0 && a < aggregates.count) << "node " << node << " is in aggregate " << a;
    ++size.at(static_cast<std::size_t>(a));
    bool linked = false;
    for (const Index neighbour : graph.neighbours(node)) {
      linked |= aggregates.of_node[static_cast<std::size_t>(neighbour)] == a;
    }
    EXPECT_TRUE(linked) << "node " << node;
  }
  return size;
}

/// The aggregates as aggregate() defines them, one node after the other: named by their roots, a table for each count.
std::vector<Index> naive_aggregates(Context<Host>& ctx, const Graph<Host>& graph, int passes, MisOrder order) {
  const auto n = static_cast<std::size_t>(graph.nodes);
  std::vector<Index> root(n, -1);
  std::set<Index> roots;
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<std::uint8_t> is_free;
    for (const Index r : root) {
      is_free.push_back(static_cast<std::uint8_t>(r < 0));
    }
    std::vector<std::uint8_t> in_set(n);
    mis2(ctx, graph, {is_free.data(), n}, {in_set.data(), n}, order);
    for (std::size_t i = 0; i < n; ++i) {
      Index free_neighbours = 0;
      for (const Index j : graph.neighbours(i)) {
        free_neighbours += is_free[static_cast<std::size_t>(j)];
      }
      if (in_set[i] != 0 && (pass == 0 || free_neighbours >= free_neighbours_wanted)) {
        roots.insert(static_cast<Index>(i));
        root[i] = static_cast<Index>(i);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto neighbours = graph.neighbours(i);
      const auto* const found = std::ranges::find_if(neighbours, [&](Index j) { return roots.contains(j); });
      root[i] = root[i] < 0 && found != neighbours.end() ? *found : root[i];
    }
  }
  std::vector<Index> aggregates;
  for (std::size_t i = 0; i < n; ++i) {
    std::map<Index, int> links;
    for (const Index j : graph.neighbours(i)) {
      ++links[root[static_cast<std::size_t>(j)]];
    }
    links.erase(-1);
    Index joined = root[i];
    if (joined < 0 && !links.empty()) {
      // The first of the largest: the lowest root.
      joined = std::max_element(links.begin(), links.end(), [](const auto& a, const auto& b) {
                 return a.second < b.second;
               })->first;
    }
    aggregates.push_back(joined < 0 ? -1 : static_cast<Index>(std::distance(roots.begin(), roots.find(joined))));
  }
  return aggregates;
}

TYPED_TEST(Coarsening, AggregatesAreThoseOfTheDefinition) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  for (const OrderedGraph& ordered : graphs_in_orders(host)) {
    const Graph<Host>& graph = ordered.graph;  // no structured binding: clang 14 has none in lambdas
    const MisOrder order = ordered.order;
    for (const int passes : {1, 2, 3}) {
      SCOPED_TRACE(passes);
      const std::vector<Index> expected = naive_aggregates(host, graph, passes, order);
      reference::for_contexts<S>([&](Context<S>& ctx) {
        const Aggregates<S> aggregates = aggregate(ctx, reference::upload(ctx, graph), passes, {}, order);
        EXPECT_EQ(reference::download(ctx, aggregates.of_node.span()), expected);
        EXPECT_EQ(aggregates.count, *std::max_element(expected.begin(), expected.end()) + 1);
      });
    }
  }
}

/// The graph without some of its edges in one direction.
Graph<Host> lopsided(Context<Host>& ctx, const Graph<Host>& graph) {
  Buffer<Offset, Host> row_offsets(ctx, graph.row_offsets.size());
  std::vector<Index> neighbours;
  row_offsets[0] = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(graph.nodes); ++i) {
    for (const Index j : graph.neighbours(i)) {
      if ((i * 7 + static_cast<std::size_t>(j) * 3) % 5 != 0) {
        neighbours.push_back(j);
      }
    }
    row_offsets[i + 1] = static_cast<Offset>(neighbours.size());
  }
  Buffer<Index, Host> col_indices(ctx, neighbours.size());
  std::ranges::copy(neighbours, col_indices.data());
  return {graph.nodes, std::move(row_offsets), std::move(col_indices)};
}

/// Matrices that are symmetric but for rounding have graphs that are not quite, where couplings are at the threshold.
TYPED_TEST(Coarsening, EdgesInOneDirectionLeaveAggregatesTheSameForAnyNumberOfThreads) {
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  std::vector<OrderedGraph> all = graphs_in_orders(host);
  // Of nodes enough for threads to share.
  all.push_back({graph_of(host, generate_matrix<double>(
                                    host, reference::poisson(reference::grid({260, 250}), Discretization::q1))),
                 MisOrder::random});
  for (const OrderedGraph& ordered : all) {
    const Graph<Host> graph = lopsided(host, ordered.graph);
    const MisOrder order = ordered.order;
    for (const int passes : {1, 3}) {
      SCOPED_TRACE(passes);
      const std::vector<Index> expected = naive_aggregates(host, graph, passes, order);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(isolated(graph, i) || expected[i] >= 0) << "node " << i;
      }
      reference::for_contexts<S>([&](Context<S>& ctx) {
        const Aggregates<S> aggregates = aggregate(ctx, reference::upload(ctx, graph), passes, {}, order);
        EXPECT_EQ(reference::download(ctx, aggregates.of_node.span()), expected);
      });
    }
  }
}

TYPED_TEST(Coarsening, APartOnItsOwnHasTheAggregatesItHasInTheWhole) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto first = reference::random_spd_matrix<double>(host, 300, 3, 5);
  const auto second = reference::random_spd_matrix<double>(host, 500, 4, 7);
  std::vector<reference::Entry> entries;
  Index offset = 0;
  for (const auto* block : {&first, &second}) {
    for (Index i = 0; i < block->rows; ++i) {
      const auto end = static_cast<std::size_t>(block->row_offsets[static_cast<std::size_t>(i) + 1]);
      for (auto k = static_cast<std::size_t>(block->row_offsets[static_cast<std::size_t>(i)]); k < end; ++k) {
        entries.push_back({offset + i, offset + block->col_indices[k], block->values[k]});
      }
    }
    offset += block->rows;
  }
  const auto whole = reference::matrix_from_entries<double>(host, offset, offset, entries);
  const auto of_node = [&](const Aggregates<S>& aggregates) {
    return reference::download(ctx, aggregates.of_node.span());
  };
  for (const int passes : {1, 3}) {
    const std::vector<Index> expected = of_node(aggregate(ctx, reference::upload(ctx, graph_of(host, whole)), passes));
    Graph<S> part = reference::upload(ctx, graph_of(host, second));
    part.first_node = first.rows;
    std::vector<Index> aggregates = of_node(aggregate(ctx, part, passes));
    const Index before = *std::max_element(expected.begin(), expected.begin() + first.rows) + 1;
    for (Index& a : aggregates) {
      a = a < 0 ? a : a + before;
    }
    EXPECT_TRUE(std::equal(aggregates.begin(), aggregates.end(), expected.begin() + first.rows));
  }
}

TYPED_TEST(Coarsening, AggregatesAreConnectedBallsThatCoverTheGraph) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const Graph<Host>& graph : graphs(host)) {
    for (const int passes : {1, 2, 3}) {
      const Aggregates<Host> aggregates =
          reference::download(ctx, host, aggregate(ctx, reference::upload(ctx, graph), passes));
      for (const int size : checked_sizes(graph, aggregates)) {
        EXPECT_GE(size, 2) << "passes: " << passes;
      }
    }
  }
}

TYPED_TEST(Coarsening, ASecondPassMakesAggregatesOfABallsSize) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto mean_size = [&](const StructuredGrid& grid, int passes) {
    const auto A = generate_matrix<double>(host, reference::poisson(grid, Discretization::q1));
    const auto aggregates = aggregate(ctx, reference::upload(ctx, graph_of(host, A)), passes);
    return static_cast<double>(A.rows) / aggregates.count;
  };
  // A ball has 9 nodes; sets of random roots leave a third of the nodes over.
  EXPECT_GT(mean_size(reference::grid({120, 101}), 1), 12.0);
  EXPECT_LT(mean_size(reference::grid({120, 101}), 2), 9.0);
  EXPECT_GT(mean_size(reference::grid({120, 101}), 2), 6.0);
  // 27, less its six faces, whose entries are zero.
  EXPECT_GT(mean_size(reference::grid({40, 35, 30}), 1), 35.0);
  EXPECT_LT(mean_size(reference::grid({40, 35, 30}), 2), 25.0);
}

/// Passes that find nothing to do any more are many, and each of a small graph is done at once.
TEST(Aggregation, IsInterruptedBetweenPasses) {
  Context<Host> ctx(1);
  const auto A = generate_matrix<double>(ctx, reference::poisson(reference::grid({8, 8}), Discretization::fd));
  const Graph<Host> graph = graph_of(ctx, A);
  int asked = 0;
  ctx.set_stop([&] { return ++asked == 50; });
  EXPECT_THROW(aggregate(ctx, graph, 100), InterruptedError);
  EXPECT_EQ(asked, 50);
}

TYPED_TEST(Coarsening, GroupsTheNodesOfEachAggregateInOrder) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  std::vector<Index> many(200000);  // which threads share
  for (std::size_t node = 0; node < many.size(); ++node) {
    many[node] = static_cast<Index>(hash64(node) % 41) - 1;
  }
  // Aggregate 1 is empty, and some nodes are in none.
  const std::vector<std::vector<Index>> partitions = {{2, -1, 0, 2, 3, 0, -1, 2}, {-1, -1}, {0}, {}, many};
  for (const std::vector<Index>& of_node : partitions) {
    Aggregates<S> aggregates;
    aggregates.of_node = reference::upload_buffer(ctx, of_node);
    for (const Index a : of_node) {
      aggregates.count = std::max(aggregates.count, a + 1);
    }
    const AggregateNodes<S> grouped = aggregate_nodes(ctx, aggregates);
    const std::vector<Offset> offsets = reference::download(ctx, grouped.offsets.span());
    const std::vector<Index> nodes = reference::download(ctx, grouped.nodes.span());
    ASSERT_EQ(offsets.size(), static_cast<std::size_t>(aggregates.count) + 1);
    std::vector<Index> expected_nodes;
    for (Index a = 0; a < aggregates.count; ++a) {
      EXPECT_EQ(offsets[static_cast<std::size_t>(a)], std::ssize(expected_nodes));
      for (std::size_t node = 0; node < of_node.size(); ++node) {
        if (of_node[node] == a) {
          expected_nodes.push_back(static_cast<Index>(node));
        }
      }
    }
    EXPECT_EQ(offsets.back(), std::ssize(expected_nodes));
    EXPECT_EQ(nodes, expected_nodes);
  }
}

}  // namespace
}  // namespace amgsolve
