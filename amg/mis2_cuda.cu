#include "amg/mis2.hpp"
#include "amg/row_lanes_cuda.cuh"
#include "core/algorithms.hpp"

namespace amgsolve {
namespace {

/// What stays on the list of nodes that may still join the set.
struct IsUndecided {
  const MisStatus* status;
  __device__ bool operator()(Index node) const { return status[node] != mis_in && status[node] != mis_out; }
};

/// What stays on the list of nodes whose neighbourhood has no member yet.
struct IsUncovered {
  const MisStatus* lowest;
  __device__ bool operator()(Index node) const { return lowest[node] != mis_absent && lowest[node] != mis_out; }
};

/// Keeps those nodes of the list for which keep(node) holds, in their order. A thread a node.
template <class Keep>
Span<Index, Cuda> compact(Context<Cuda>& ctx, Span<Index, Cuda> list, Span<Index, Cuda> room,
                          Span<std::uint8_t, Cuda> flags, Keep keep) {
  const Index* nodes = list.data();
  std::uint8_t* kept_flags = flags.data();
  parallel_for(ctx, static_cast<std::int64_t>(list.size()),
               [=] __device__(std::int64_t i) { kept_flags[i] = keep(nodes[i]) ? 1 : 0; });
  const Offset kept = select_flagged(ctx, flags.subspan(0, list.size()), room);
  Index* positions = room.data();
  parallel_for(ctx, kept, [=] __device__(std::int64_t i) { positions[i] = nodes[positions[i]]; });
  return room.subspan(0, static_cast<std::size_t>(kept));
}

}  // namespace

void mis2(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const std::uint8_t, Cuda> takes_part,
          Span<std::uint8_t, Cuda> in_set) {
  const auto n = static_cast<std::size_t>(graph.nodes);
  WorkspaceScope scope(ctx.workspace());
  MisStatus* status = scope.take<MisStatus>(n).data();
  // The lowest status in a node's closed neighbourhood, or mis_out once a member is in there: then every neighbour is
  // within two edges of that member.
  MisStatus* lowest = scope.take<MisStatus>(n).data();
  const auto flags = scope.take<std::uint8_t>(n);
  auto undecided = scope.take<Index>(n);
  auto uncovered = scope.take<Index>(n);
  auto spare = scope.take<Index>(n);
  const Offset* row_offsets = graph.row_offsets.data();
  const Index* col_indices = graph.col_indices.data();

  const std::uint8_t* part_flags = takes_part.empty() ? nullptr : takes_part.data();
  Index* all_undecided = undecided.data();
  Index* all_uncovered = uncovered.data();
  parallel_for(ctx, graph.nodes, [=] __device__(std::int64_t i) {
    const auto node = static_cast<Index>(i);
    const bool present = row_offsets[i] < row_offsets[i + 1] && (part_flags == nullptr || part_flags[i] != 0);
    status[i] = present ? mis_priority(node, 0) : mis_out;
    lowest[i] = present ? mis_priority(node, 0) : mis_absent;
    all_undecided[i] = node;
    all_uncovered[i] = node;
  });
  const auto swap_compacted = [&](Span<Index, Cuda>& list, auto keep) {
    const Span<Index, Cuda> kept = compact(ctx, list, spare, flags, keep);
    spare = {list.data(), n};
    list = kept;
  };
  swap_compacted(undecided, IsUndecided{status});
  swap_compacted(uncovered, IsUncovered{lowest});

  for (std::uint32_t round = 1; !undecided.empty(); ++round) {
    const Index* nodes = uncovered.data();
    parallel_rows(ctx, static_cast<std::int64_t>(uncovered.size()), [=] __device__(RowLanes lanes, std::int64_t i) {
      const Index node = nodes[i];
      MisStatus minimum = status[node];
      for (Offset k = row_offsets[node] + lanes.thread_rank(); k < row_offsets[node + 1]; k += row_lanes) {
        minimum = min(minimum, status[col_indices[k]]);
      }
      minimum = cooperative_groups::reduce(lanes, minimum, cooperative_groups::less<MisStatus>());
      if (lanes.thread_rank() == 0) {
        lowest[node] = minimum == mis_in ? mis_out : minimum;
      }
    });
    nodes = undecided.data();
    parallel_rows(ctx, static_cast<std::int64_t>(undecided.size()), [=] __device__(RowLanes lanes, std::int64_t i) {
      const Index node = nodes[i];
      MisStatus minimum = lowest[node];
      MisStatus highest = minimum;
      for (Offset k = row_offsets[node] + lanes.thread_rank(); k < row_offsets[node + 1]; k += row_lanes) {
        const MisStatus other = lowest[col_indices[k]];
        minimum = other == mis_absent ? minimum : min(minimum, other);
        highest = max(highest, other);
      }
      minimum = cooperative_groups::reduce(lanes, minimum, cooperative_groups::less<MisStatus>());
      highest = cooperative_groups::reduce(lanes, highest, cooperative_groups::greater<MisStatus>());
      if (lanes.thread_rank() == 0) {
        const MisStatus own = status[node];
        const bool is_lowest = minimum == own && highest == own;
        status[node] = highest == mis_out ? mis_out : is_lowest ? mis_in : mis_priority(node, round);
      }
    });
    swap_compacted(undecided, IsUndecided{status});
    swap_compacted(uncovered, IsUncovered{lowest});
  }
  std::uint8_t* members = in_set.data();
  parallel_for(ctx, graph.nodes, [=] __device__(std::int64_t i) { members[i] = status[i] == mis_in ? 1 : 0; });
}

}  // namespace amgsolve
