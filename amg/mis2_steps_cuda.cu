#include <algorithm>
#include <array>
#include <utility>

#include "amg/mis2_steps.hpp"
#include "amg/mis2_tuning_cuda.hpp"
#include "core/lane_scan_cuda.cuh"
#include "spmv/row_lanes_cuda.cuh"

// A thread a node where its own entries are all that is read, lanes by the mean degree where its neighbours are.
namespace amgsolve::detail {
namespace {

constexpr int counts_of_list = 3;

/// The lowest of a node's own number x_i and those of its neighbours, in all lanes. Each lane has several on their way
/// at a time.
template <class Lanes>
__device__ MisStatus lowest_of(const Lanes& lanes, const Offset* row_offsets, const Index* col_indices,
                               const MisStatus* x, Index node) {
  constexpr int width = Lanes::num_threads();
  constexpr int at_once = independent_set::neighbours_at_once<width>;
  const Offset end = row_offsets[node + 1];
  MisStatus minimum = x[node];
  for (Offset first = row_offsets[node] + lanes.thread_rank(); first < end; first += at_once * width) {
    Index neighbours[at_once];
#pragma unroll
    for (int p = 0; p < at_once; ++p) {
      neighbours[p] = first + p * width < end ? col_indices[first + p * width] : node;
    }
#pragma unroll
    for (const Index neighbour : neighbours) {
      minimum = min(minimum, x[neighbour]);
    }
  }
  return join_lanes(lanes, minimum, cooperative_groups::less<MisStatus>());
}

/// See find_lowest(); settles a node where this returns true, the same in all lanes.
struct LowestAround {
  const Offset* row_offsets;
  const Index* col_indices;
  const MisStatus* status;
  MisStatus* lowest;

  template <class Lanes>
  __device__ bool operator()(const Lanes& lanes, Index node) const {
    if (!is_priority(lowest[node])) {
      return true;
    }
    const MisStatus minimum = lowest_of(lanes, row_offsets, col_indices, status, node);
    if (lanes.thread_rank() == 0) {
      lowest[node] = minimum;
    }
    return !is_priority(minimum);
  }
};

/// See decide(), likewise.
struct Decision {
  const Offset* row_offsets;
  const Index* col_indices;
  const MisStatus* lowest;
  MisStatus* status;
  MisPriorities priority;
  std::uint32_t next_round;

  template <class Lanes>
  __device__ bool operator()(const Lanes& lanes, Index node) const {
    const MisStatus own = status[node];
    if (!is_priority(own)) {
      return true;
    }
    const MisStatus minimum = lowest_of(lanes, row_offsets, col_indices, lowest, node);
    const bool is_lowest = minimum == own && own != mis_waits;
    const MisStatus decided = minimum == mis_in ? mis_out
                              : is_lowest       ? mis_in
                                                : priority(node, row_offsets[node + 1] - row_offsets[node], next_round);
    if (lanes.thread_rank() == 0) {
      status[node] = decided;
    }
    return !is_priority(decided);
  }
};

/// One block takes the rounds of all nodes until each is settled.
template <class Lanes>
__global__ void __launch_bounds__(independent_set::threads_of_one_block)
    settle_all_kernel(Index nodes, LowestAround find_lowest, Decision decide) {
  const Lanes lanes = lanes_of_thread(static_cast<Lanes*>(nullptr));
  const auto width = static_cast<Index>(lanes.num_threads());
  const Index first = static_cast<Index>(threadIdx.x) / width;
  const Index step = static_cast<Index>(blockDim.x) / width;
  for (bool goes_on = true; goes_on; ++decide.next_round) {
    for (Index node = first; node < nodes; node += step) {
      find_lowest(lanes, node);
    }
    __syncthreads();
    bool is_left = false;
    for (Index node = first; node < nodes; node += step) {
      is_left = !decide(lanes, node) || is_left;
    }
    goes_on = __syncthreads_or(is_left) != 0;
  }
}

/// What a step reads and writes of a list.
struct ListStep {
  const Index* nodes;  ///< null: all of them
  Index all;
  const Index* count;
  Index* next_nodes;
  Index* next_count;
  Index* count_after;
};

template <class Lanes, class Settle>
__global__ void settle_kernel(ListStep list, Settle is_settled) {
  __shared__ int of_warps[default_block / warp_size];
  __shared__ Index first_place;
  const Lanes lanes = lanes_of_thread(static_cast<Lanes*>(nullptr));
  const std::int64_t count = list.nodes != nullptr ? *list.count : list.all;
  if (thread_index() == 0) {
    *list.count_after = 0;
  }
  if (static_cast<std::int64_t>(blockIdx.x) * (default_block / lanes.num_threads()) >= count) {
    return;
  }
  const std::int64_t k = thread_index() / lanes.num_threads();
  const Index node = k >= count ? 0 : list.nodes != nullptr ? list.nodes[k] : static_cast<Index>(k);
  const bool stays = k < count && !is_settled(lanes, node) && lanes.thread_rank() == 0;
  int staying;
  const int place = sum_before_in_block<default_block>(stays ? 1 : 0, of_warps, staying);
  if (threadIdx.x == 0 && staying > 0) {
    first_place = atomicAdd(list.next_count, staying);
  }
  __syncthreads();
  if (stays) {
    list.next_nodes[first_place + place] = node;
  }
}

LowestAround lowest_around(const Graph<Cuda>& graph, Span<const MisStatus, Cuda> status, Span<MisStatus, Cuda> lowest) {
  return {graph.row_offsets.data(), graph.col_indices.data(), status.data(), lowest.data()};
}

Decision decision(const Graph<Cuda>& graph, const MisPriorities& priority, std::uint32_t next_round,
                  Span<const MisStatus, Cuda> lowest, Span<MisStatus, Cuda> status) {
  return {graph.row_offsets.data(), graph.col_indices.data(), lowest.data(), status.data(), priority, next_round};
}

/// is_settled(lanes, node) for the nodes, the same in all lanes; those that are settled leave the list.
template <class Settle>
void settle(Context<Cuda>& ctx, const Graph<Cuda>& graph, UnsettledNodes<Cuda>& list, const Settle& is_settled) {
  const auto count = [&](int step) { return list.counts.data() + step % counts_of_list; };
  const ListStep step{list.steps == 0 ? nullptr : list.nodes.data(),
                      graph.nodes,
                      count(list.steps),
                      list.next.data(),
                      count(list.steps + 1),
                      count(list.steps + 2)};
  with_row_lanes(graph.nodes, static_cast<std::int64_t>(graph.col_indices.size()), true,
                 [&]<class Lanes>(Lanes*, int lanes) {
                   launch(ctx, settle_kernel<Lanes, Settle>, Grid::of_lanes(list.most, lanes), step, is_settled);
                 });
  std::swap(list.nodes, list.next);
  ++list.steps;
}

}  // namespace

UnsettledLists<Cuda> all_unsettled(Context<Cuda>& ctx, const Graph<Cuda>& graph, WorkspaceScope<Cuda>& scope) {
  const auto n = static_cast<std::size_t>(graph.nodes);
  const auto counts = scope.take<Index>(2 * counts_of_list);
  set_zero(ctx, counts);
  const auto list = [&](int number) {
    return UnsettledNodes<Cuda>{.most = graph.nodes,
                                .nodes = scope.take<Index>(n),
                                .next = scope.take<Index>(n),
                                .counts = counts.subspan(number * counts_of_list, counts_of_list)};
  };
  return {list(0), list(1)};
}

bool may_go_on(Context<Cuda>& ctx, UnsettledLists<Cuda>& lists) {
  const int rounds = lists.undecided.steps;
  if (rounds > 0 && (lists.undecided.most > independent_set::many_nodes ||
                     (rounds >= independent_set::least_rounds && rounds % 2 == 0))) {
    std::array<Index, 2 * counts_of_list> counts;
    download(ctx, Span<const Index, Cuda>(lists.uncovered.counts.data(), counts.size()),
             {counts.data(), counts.size()});
    // Once none is left, nothing is launched for a list, and what stands in its counts is of earlier rounds.
    const auto look = [&](UnsettledNodes<Cuda>& list, int first) {
      list.most = std::min(list.most, counts[static_cast<std::size_t>(first + rounds % counts_of_list)]);
    };
    look(lists.uncovered, 0);
    look(lists.undecided, counts_of_list);
  }
  return lists.undecided.most > 0;
}

void start_mis2(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const std::uint8_t, Cuda> is_active,
                const MisPriorities& priority, Span<MisStatus, Cuda> status_of_node,
                Span<MisStatus, Cuda> lowest_of_node) {
  const Offset* row_offsets = graph.row_offsets.data();
  const std::uint8_t* active = is_active.empty() ? nullptr : is_active.data();
  MisStatus* status = status_of_node.data();
  MisStatus* lowest = lowest_of_node.data();
  parallel_for(ctx, graph.nodes, [=] __device__(std::int64_t i) {
    const bool present = row_offsets[i] < row_offsets[i + 1] && (active == nullptr || active[i] != 0);
    const MisStatus first = priority(i, row_offsets[i + 1] - row_offsets[i], 0);
    status[i] = present ? first : mis_out;
    lowest[i] = status[i];
  });
}

void find_lowest(Context<Cuda>& ctx, const Graph<Cuda>& graph, UnsettledNodes<Cuda>& nodes,
                 Span<const MisStatus, Cuda> status, Span<MisStatus, Cuda> lowest) {
  settle(ctx, graph, nodes, lowest_around(graph, status, lowest));
}

void decide(Context<Cuda>& ctx, const Graph<Cuda>& graph, UnsettledNodes<Cuda>& nodes, const MisPriorities& priority,
            std::uint32_t next_round, Span<const MisStatus, Cuda> lowest, Span<MisStatus, Cuda> status) {
  settle(ctx, graph, nodes, decision(graph, priority, next_round, lowest, status));
}

bool is_settled_at_once(const Graph<Cuda>& graph) {
  return graph.nodes <= independent_set::most_nodes_of_one_block &&
         graph.col_indices.size() <= independent_set::most_neighbours_of_one_block;
}

void settle_all(Context<Cuda>& ctx, const Graph<Cuda>& graph, const MisPriorities& priority,
                Span<MisStatus, Cuda> status, Span<MisStatus, Cuda> lowest) {
  with_row_lanes(graph.nodes, static_cast<std::int64_t>(graph.col_indices.size()), true, [&]<class Lanes>(Lanes*, int) {
    launch(ctx, settle_all_kernel<Lanes>, {.blocks = 1, .threads = independent_set::threads_of_one_block}, graph.nodes,
           lowest_around(graph, status, lowest), decision(graph, priority, 1, lowest, status));
  });
}

void flag_members(Context<Cuda>& ctx, Span<const MisStatus, Cuda> status_of_node, Span<std::uint8_t, Cuda> in_set) {
  const MisStatus* status = status_of_node.data();
  std::uint8_t* flags = in_set.data();
  parallel_for(ctx, static_cast<std::int64_t>(status_of_node.size()),
               [=] __device__(std::int64_t i) { flags[i] = status[i] == mis_in ? 1 : 0; });
}

}  // namespace amgsolve::detail
