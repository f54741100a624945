#include <concepts>

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

/// Neighbours that a thread alone holds in registers.
constexpr int few_neighbours = 8;

/// The same of no more than few_neighbours, each of which is looked at once.
__device__ Index most_frequent_of_few(const Index* col_indices, Offset begin, Offset end, const Index* joined) {
  Index candidates[few_neighbours];
#pragma unroll
  for (int k = 0; k < few_neighbours; ++k) {
    candidates[k] = begin + k < end ? col_indices[begin + k] : none;
  }
#pragma unroll
  for (Index& candidate : candidates) {
    candidate = candidate != none ? joined[candidate] : none;
  }
  std::uint64_t best = 0;
#pragma unroll
  for (int k = 0; k < few_neighbours; ++k) {
    Index links = 0;
#pragma unroll
    for (int m = k; m < few_neighbours; ++m) {
      links += candidates[m] == candidates[k] ? 1 : 0;
    }
    best = candidates[k] != none ? max(best, rank_of(candidates[k], links)) : best;
  }
  return aggregate_of_rank(best);
}

}  // namespace

void make_roots(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const std::uint8_t, Cuda> in_set,
                Span<const std::uint8_t, Cuda> is_free, Index least_free, Span<Index, Cuda> root_of_node) {
  const Offset* row_offsets = graph.row_offsets.data();
  const Index* col_indices = graph.col_indices.data();
  const std::uint8_t* members = in_set.data();
  const std::uint8_t* free = is_free.data();
  Index* root = root_of_node.data();
  parallel_rows(ctx, graph.nodes, edges(graph), [=] __device__(const auto& lanes, std::int64_t i) {
    if (members[i] == 0) {
      return;
    }
    const Offset end = row_offsets[i + 1];
    Index free_neighbours = 0;
    for (Offset k = row_offsets[i] + lanes.thread_rank(); k < end && least_free > 0; k += lanes.num_threads()) {
      free_neighbours += free[col_indices[k]] != 0 ? 1 : 0;
    }
    free_neighbours = join_lanes(lanes, free_neighbours, cooperative_groups::plus<Index>());
    if (lanes.thread_rank() == 0 && free_neighbours >= least_free) {
      root[i] = static_cast<Index>(i);
    }
  });
}

void join_roots(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const std::uint8_t, Cuda> is_root,
                Span<Index, Cuda> root_of_node) {
  const Offset* row_offsets = graph.row_offsets.data();
  const Index* col_indices = graph.col_indices.data();
  const std::uint8_t* root_flags = is_root.data();
  Index* root = root_of_node.data();
  parallel_rows(ctx, graph.nodes, edges(graph), [=] __device__(const auto& lanes, std::int64_t i) {
    if (root[i] != none) {
      return;
    }
    const Offset end = row_offsets[i + 1];
    Index lowest = max_index;
    for (Offset k = row_offsets[i] + lanes.thread_rank(); k < end && lowest == max_index; k += lanes.num_threads()) {
      const Index neighbour = col_indices[k];
      lowest = root_flags[neighbour] != 0 ? neighbour : lowest;
    }
    lowest = join_lanes(lanes, lowest, cooperative_groups::less<Index>());
    if (lanes.thread_rank() == 0 && lowest != max_index) {
      root[i] = lowest;
    }
  });
}

void join_neighbours(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const Index, Cuda> joined_of_node,
                     Span<Index, Cuda> aggregate_of_node) {
  const Offset* row_offsets = graph.row_offsets.data();
  const Index* col_indices = graph.col_indices.data();
  const Index* joined = joined_of_node.data();
  Index* of_node = aggregate_of_node.data();
  parallel_rows(ctx, graph.nodes, edges(graph), [=] __device__<class Lanes>(const Lanes& lanes, std::int64_t node) {
    Index aggregate = joined[node];
    if (aggregate == none) {
      const Offset begin = row_offsets[node];
      const Offset end = row_offsets[node + 1];
      const bool are_few = std::same_as<Lanes, OneLane> && end - begin <= few_neighbours;
      aggregate = are_few ? most_frequent_of_few(col_indices, begin, end, joined)
                          : most_frequent(lanes, col_indices, begin, end, joined);
    }
    if (lanes.thread_rank() == 0) {
      of_node[node] = aggregate;
    }
  });
}

AMGSOLVE_INSTANTIATE_FOR_NODES(Cuda)

}  // namespace amgsolve::detail
