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

/// Unsets the flags of the roots that have too few free neighbours for an aggregate of their own.
void drop_crowded_roots(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> is_free,
                        Span<std::uint8_t, Host> is_root) {
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) {
    const auto node = static_cast<std::size_t>(i);
    if (is_root[node] == 0) {
      return;
    }
    Index free_neighbours = 0;
    for (Offset k = graph.row_offsets[node]; k < graph.row_offsets[node + 1]; ++k) {
      free_neighbours += is_free[static_cast<std::size_t>(graph.col_indices[static_cast<std::size_t>(k)])];
    }
    is_root[node] = free_neighbours >= free_neighbours_wanted ? 1 : 0;
  });
}

}  // namespace

Aggregates<Host> aggregate(Context<Host>& ctx, const Graph<Host>& graph, int passes) {
  const auto n = static_cast<std::size_t>(graph.nodes);
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto is_root = scope.take<std::uint8_t>(n);
  const auto roots = scope.take<Index>(n);
  const auto joined = scope.take<Index>(n);
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) { joined[static_cast<std::size_t>(i)] = Aggregates<Host>::none; });
  const auto is_free = scope.take<std::uint8_t>(passes > 1 ? n : 0);

  Index count = 0;
  for (int pass = 0; pass < passes; ++pass) {
    if (pass == 0) {
      mis2(ctx, graph, {}, is_root);
    } else {
      parallel_for(ctx, graph.nodes, [&](std::int64_t i) {
        const auto node = static_cast<std::size_t>(i);
        is_free[node] = joined[node] == Aggregates<Host>::none ? 1 : 0;
      });
      mis2(ctx, graph, is_free, is_root);
      drop_crowded_roots(ctx, graph, is_free, is_root);
    }
    const auto found = static_cast<Index>(select_flagged(ctx, is_root, roots));
    // Roots of a pass are three edges apart among the free nodes: none of those is a neighbour of two, so these writes
    // never meet.
    parallel_for(ctx, found, [&](std::int64_t a) {
      const auto root = static_cast<std::size_t>(roots[static_cast<std::size_t>(a)]);
      const Index number = count + static_cast<Index>(a);
      joined[root] = number;
      for (Offset k = graph.row_offsets[root]; k < graph.row_offsets[root + 1]; ++k) {
        Index& neighbour = joined[static_cast<std::size_t>(graph.col_indices[static_cast<std::size_t>(k)])];
        if (neighbour == Aggregates<Host>::none) {
          neighbour = number;
        }
      }
    });
    count += found;
  }

  Aggregates<Host> aggregates{count, Buffer<Index, Host>(ctx, n)};
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) {
    const auto node = static_cast<std::size_t>(i);
    aggregates.of_node[node] =
        joined[node] != Aggregates<Host>::none ? joined[node] : most_frequent_aggregate(graph, joined, node);
  });
  return aggregates;
}

}  // namespace amgsolve
