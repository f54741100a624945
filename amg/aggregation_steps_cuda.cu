#include "amg/aggregation_rows.hpp"
#include "spmv/row_lanes_cuda.cuh"

// A thread a node where its own entries are all that is read, lanes by the mean degree where its neighbours are.
namespace amgsolve::detail {
namespace {

constexpr Index none = Aggregates<Cuda>::none;

std::int64_t edges(const Graph<Cuda>& graph) { return static_cast<std::int64_t>(graph.col_indices.size()); }

/// A number that is larger for more links, and for the lower aggregate where the links are equal; 0 for no links.
__device__ std::uint64_t rank_of(Index aggregate, Index links) {
  return links == 0 ? 0 : static_cast<std::uint64_t>(links) << 32 | static_cast<std::uint32_t>(max_index - aggregate);
}

__device__ Index aggregate_of_rank(std::uint64_t rank) {
  return rank == 0 ? none : max_index - static_cast<Index>(static_cast<std::uint32_t>(rank));
}

/// What most of the neighbours col_indices[begin … end − 1] have joined; the lowest on a tie. Each lane counts the
/// neighbours from its own on: the first one of each aggregate finds all of them.
template <class Lanes>
__device__ Index most_frequent(const Lanes& lanes, const Index* col_indices, Offset begin, Offset end,
                               const Index* joined) {
  std::uint64_t best = 0;
  for (Offset k = begin + lanes.thread_rank(); k < end; k += lanes.num_threads()) {
    const Index candidate = joined[col_indices[k]];
    Index links = 0;
    for (Offset m = k; candidate != none && m < end; ++m) {
      links += joined[col_indices[m]] == candidate ? 1 : 0;
    }
    best = max(best, rank_of(candidate, links));
  }
  return aggregate_of_rank(join_lanes(lanes, best, cooperative_groups::greater<std::uint64_t>()));
}

}  // namespace

void join_roots(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const std::uint8_t, Cuda> is_root, Index least_free,
                Span<Index, Cuda> root_of_node) {
  const Offset* row_offsets = graph.row_offsets.data();
  const Index* col_indices = graph.col_indices.data();
  const std::uint8_t* root_flags = is_root.data();
  Index* root = root_of_node.data();
  parallel_rows(ctx, graph.nodes, edges(graph), [=] __device__(const auto& lanes, std::int64_t i) {
    if (root_flags[i] == 0) {
      return;
    }
    const auto node = static_cast<Index>(i);
    const Offset begin = row_offsets[node] + lanes.thread_rank();
    const Offset end = row_offsets[node + 1];
    Index free_neighbours = 0;
    for (Offset k = begin; k < end && least_free > 0; k += lanes.num_threads()) {
      free_neighbours += was_free(root, root_flags, col_indices[k]) ? 1 : 0;
    }
    if (join_lanes(lanes, free_neighbours, cooperative_groups::plus<Index>()) < least_free) {
      return;
    }
    if (lanes.thread_rank() == 0) {
      root[node] = node;
    }
    for (Offset k = begin; k < end; k += lanes.num_threads()) {
      join_root(root, root_flags, col_indices[k], node);
    }
  });
}

void join_ghost_roots(Context<Cuda>& ctx, const Graph<Cuda>& graph, const WindowColumns& window,
                      Span<const Index, Cuda> nodes, Span<const std::uint8_t, Cuda> is_root,
                      Span<Index, Cuda> root_of_node) {
  const Offset* row_offsets = graph.row_offsets.data();
  const Index* col_indices = graph.col_indices.data();
  const std::uint8_t* root_flags = is_root.data();
  Index* root = root_of_node.data();
  const Index* own_node = nodes.data();
  parallel_for(ctx, static_cast<std::int64_t>(nodes.size()), [=] __device__(std::int64_t i) {
    const Index node = window.first_own + own_node[i];
    if (root[node] != none) {
      return;
    }
    for (Offset k = row_offsets[node]; k < row_offsets[node + 1]; ++k) {
      const Index neighbour = col_indices[k];
      if (!window.has_own(neighbour) && root_flags[neighbour] != 0) {
        root[node] = neighbour;
      }
    }
  });
}

void join_neighbours(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const Index, Cuda> joined_of_node,
                     Span<Index, Cuda> aggregate_of_node) {
  const Offset* row_offsets = graph.row_offsets.data();
  const Index* col_indices = graph.col_indices.data();
  const Index* joined = joined_of_node.data();
  Index* of_node = aggregate_of_node.data();
  parallel_rows(ctx, graph.nodes, edges(graph), [=] __device__(const auto& lanes, std::int64_t node) {
    Index aggregate = joined[node];
    if (aggregate == none) {
      aggregate = most_frequent(lanes, col_indices, row_offsets[node], row_offsets[node + 1], joined);
    }
    if (lanes.thread_rank() == 0) {
      of_node[node] = aggregate;
    }
  });
}

AMGSOLVE_INSTANTIATE_FOR_NODES(Cuda)

}  // namespace amgsolve::detail
