#include "amg/aggregation.hpp"
#include "amg/mis2.hpp"
#include "amg/row_lanes_cuda.cuh"
#include "core/algorithms.hpp"

namespace amgsolve {
namespace {

constexpr Index none = Aggregates<Cuda>::none;

/// A number that is larger for more links, and for the lower aggregate where the links are equal; 0 for no links.
__device__ std::uint64_t rank_of(Index aggregate, Index links) {
  return links == 0 ? 0 : static_cast<std::uint64_t>(links) << 32 | static_cast<std::uint32_t>(max_index - aggregate);
}

__device__ Index aggregate_of_rank(std::uint64_t rank) {
  return rank == 0 ? none : max_index - static_cast<Index>(static_cast<std::uint32_t>(rank));
}

/// The aggregate named most often among the joined neighbours in col_indices[begin … end − 1]; the lower number on a
/// tie. Each lane counts the neighbours from its own on: the first one of each aggregate finds all of them.
__device__ Index most_frequent_aggregate(const RowLanes& lanes, const Index* col_indices, Offset begin, Offset end,
                                         const Index* joined) {
  std::uint64_t best = 0;
  for (Offset k = begin + lanes.thread_rank(); k < end; k += row_lanes) {
    const Index candidate = joined[col_indices[k]];
    Index links = 0;
    for (Offset m = k; candidate != none && m < end; ++m) {
      links += joined[col_indices[m]] == candidate ? 1 : 0;
    }
    best = max(best, rank_of(candidate, links));
  }
  return aggregate_of_rank(cooperative_groups::reduce(lanes, best, cooperative_groups::greater<std::uint64_t>()));
}

/// Unsets the flags of the roots that have too few free neighbours for an aggregate of their own.
void drop_crowded_roots(Context<Cuda>& ctx, const Graph<Cuda>& graph, const std::uint8_t* is_free,
                        std::uint8_t* is_root) {
  const Offset* row_offsets = graph.row_offsets.data();
  const Index* col_indices = graph.col_indices.data();
  parallel_rows(ctx, graph.nodes, [=] __device__(RowLanes lanes, std::int64_t node) {
    if (is_root[node] == 0) {
      return;
    }
    Index free_neighbours = 0;
    for (Offset k = row_offsets[node] + lanes.thread_rank(); k < row_offsets[node + 1]; k += row_lanes) {
      free_neighbours += is_free[col_indices[k]];
    }
    free_neighbours = cooperative_groups::reduce(lanes, free_neighbours, cooperative_groups::plus<Index>());
    if (lanes.thread_rank() == 0) {
      is_root[node] = free_neighbours >= free_neighbours_wanted ? 1 : 0;
    }
  });
}

}  // namespace

Aggregates<Cuda> aggregate(Context<Cuda>& ctx, const Graph<Cuda>& graph, int passes) {
  const auto n = static_cast<std::size_t>(graph.nodes);
  WorkspaceScope scope(ctx.workspace());
  const auto is_root = scope.take<std::uint8_t>(n);
  const auto root_nodes = scope.take<Index>(n);
  const Offset* row_offsets = graph.row_offsets.data();
  const Index* col_indices = graph.col_indices.data();
  const Index* roots = root_nodes.data();
  Index* joined = scope.take<Index>(n).data();
  parallel_for(ctx, graph.nodes, [=] __device__(std::int64_t i) { joined[i] = none; });
  const auto free_nodes = scope.take<std::uint8_t>(passes > 1 ? n : 0);
  std::uint8_t* is_free = free_nodes.data();

  Index count = 0;
  for (int pass = 0; pass < passes; ++pass) {
    if (pass == 0) {
      mis2(ctx, graph, {}, is_root);
    } else {
      parallel_for(ctx, graph.nodes, [=] __device__(std::int64_t i) { is_free[i] = joined[i] == none ? 1 : 0; });
      mis2(ctx, graph, free_nodes, is_root);
      drop_crowded_roots(ctx, graph, is_free, is_root.data());
    }
    const auto found = static_cast<Index>(select_flagged(ctx, is_root, root_nodes));
    // Roots of a pass are three edges apart among the free nodes: none of those is a neighbour of two, so these writes
    // never meet.
    parallel_rows(ctx, found, [=] __device__(RowLanes lanes, std::int64_t a) {
      const Index root = roots[a];
      const Index number = count + static_cast<Index>(a);
      if (lanes.thread_rank() == 0) {
        joined[root] = number;
      }
      for (Offset k = row_offsets[root] + lanes.thread_rank(); k < row_offsets[root + 1]; k += row_lanes) {
        Index& neighbour = joined[col_indices[k]];
        if (neighbour == none) {
          neighbour = number;
        }
      }
    });
    count += found;
  }

  Aggregates<Cuda> aggregates{count, Buffer<Index, Cuda>(ctx, n)};
  Index* of_node = aggregates.of_node.data();
  parallel_rows(ctx, graph.nodes, [=] __device__(RowLanes lanes, std::int64_t node) {
    Index a = joined[node];
    if (a == none) {
      a = most_frequent_aggregate(lanes, col_indices, row_offsets[node], row_offsets[node + 1], joined);
    }
    if (lanes.thread_rank() == 0) {
      of_node[node] = a;
    }
  });
  return aggregates;
}

}  // namespace amgsolve
