#include "amg/aggregation.hpp"

#include "amg/mis2.hpp"
#include "core/algorithms.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

/// The aggregate named most often among the joined neighbours of a node; the lower number on a tie. Adjacency lists are
/// short, so counting by comparing all pairs beats any table.
Index most_frequent_aggregate(const Graph<Host>& graph, Span<const Index, Host> joined, std::size_t node) {
  const auto begin = static_cast<std::size_t>(graph.row_offsets[node]);
  const auto end = static_cast<std::size_t>(graph.row_offsets[node + 1]);
  Index best = Aggregates<Host>::none;
  Index best_links = 0;
  for (std::size_t k = begin; k < end; ++k) {
    const Index candidate = joined[static_cast<std::size_t>(graph.col_indices[k])];
    if (candidate == Aggregates<Host>::none || candidate == best) {
      continue;
    }
    Index links = 1;
    for (std::size_t m = k + 1; m < end; ++m) {
      links += joined[static_cast<std::size_t>(graph.col_indices[m])] == candidate ? 1 : 0;
    }
    if (links > best_links || (links == best_links && candidate < best)) {
      best = candidate;
      best_links = links;
    }
  }
  return best;
}

}  // namespace

Aggregates<Host> aggregate(Context<Host>& ctx, const Graph<Host>& graph) {
  const auto n = static_cast<std::size_t>(graph.nodes);
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto is_root = scope.take<std::uint8_t>(n);
  mis2(ctx, graph, is_root);
  const auto roots = scope.take<Index>(n);
  const auto count = static_cast<Index>(select_flagged(ctx, is_root, roots));

  // Roots are three edges apart: no node is a neighbour of two of them, so these writes never meet.
  const auto joined = scope.take<Index>(n);
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) { joined[static_cast<std::size_t>(i)] = Aggregates<Host>::none; });
  parallel_for(ctx, count, [&](std::int64_t a) {
    const auto root = static_cast<std::size_t>(roots[static_cast<std::size_t>(a)]);
    joined[root] = static_cast<Index>(a);
    for (Offset k = graph.row_offsets[root]; k < graph.row_offsets[root + 1]; ++k) {
      joined[static_cast<std::size_t>(graph.col_indices[static_cast<std::size_t>(k)])] = static_cast<Index>(a);
    }
  });

  Aggregates<Host> aggregates{count, Buffer<Index, Host>(ctx, n)};
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) {
    const auto node = static_cast<std::size_t>(i);
    aggregates.of_node[node] =
        joined[node] != Aggregates<Host>::none ? joined[node] : most_frequent_aggregate(graph, joined, node);
  });
  return aggregates;
}

}  // namespace amgsolve
