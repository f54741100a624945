#include "amg/mis2_steps.hpp"
#include "spmv/row_lanes_cuda.cuh"

// A thread a node where its own entries are all that is read, a few lanes a node where its neighbours are.
namespace amgsolve::detail {

void start_mis2(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const std::uint8_t, Cuda> takes_part,
                Span<MisStatus, Cuda> status_of_node, Span<MisStatus, Cuda> lowest_of_node,
                Span<std::uint8_t, Cuda> flag_of_node) {
  const Offset* row_offsets = graph.row_offsets.data();
  const std::int64_t first_node = graph.first_node;
  const std::uint8_t* part_flags = takes_part.empty() ? nullptr : takes_part.data();
  MisStatus* status = status_of_node.data();
  MisStatus* lowest = lowest_of_node.data();
  std::uint8_t* flags = flag_of_node.data();
  parallel_for(ctx, graph.nodes, [=] __device__(std::int64_t i) {
    const bool present = row_offsets[i] < row_offsets[i + 1] && (part_flags == nullptr || part_flags[i] != 0);
    const MisStatus priority = mis_priority(first_node + i, 0);
    status[i] = present ? priority : mis_out;
    lowest[i] = present ? priority : mis_absent;
    flags[i] = present ? 1 : 0;
  });
}

void flag_priorities(Context<Cuda>& ctx, Span<const MisStatus, Cuda> status_of_node, Span<const Index, Cuda> list,
                     Span<std::uint8_t, Cuda> flag_of_place) {
  const MisStatus* status = status_of_node.data();
  const Index* nodes = list.data();
  std::uint8_t* flags = flag_of_place.data();
  parallel_for(ctx, static_cast<std::int64_t>(list.size()),
               [=] __device__(std::int64_t k) { flags[k] = is_priority(status[nodes[k]]) ? 1 : 0; });
}

void look_up(Context<Cuda>& ctx, Span<const Index, Cuda> list, Span<Index, Cuda> places_in_list) {
  const Index* nodes = list.data();
  Index* places = places_in_list.data();
  parallel_for(ctx, static_cast<std::int64_t>(places_in_list.size()),
               [=] __device__(std::int64_t k) { places[k] = nodes[places[k]]; });
}

void find_lowest(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const Index, Cuda> list,
                 Span<const MisStatus, Cuda> status_of_node, Span<MisStatus, Cuda> lowest_of_node) {
  const Offset* row_offsets = graph.row_offsets.data();
  const Index* col_indices = graph.col_indices.data();
  const Index* nodes = list.data();
  const MisStatus* status = status_of_node.data();
  MisStatus* lowest = lowest_of_node.data();
  parallel_rows(ctx, static_cast<std::int64_t>(list.size()), [=] __device__(RowLanes lanes, std::int64_t i) {
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
}

void decide(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const Index, Cuda> list, std::uint32_t next_round,
            Span<const MisStatus, Cuda> lowest_of_node, Span<MisStatus, Cuda> status_of_node) {
  const Offset* row_offsets = graph.row_offsets.data();
  const Index* col_indices = graph.col_indices.data();
  const std::int64_t first_node = graph.first_node;
  const Index* nodes = list.data();
  const MisStatus* lowest = lowest_of_node.data();
  MisStatus* status = status_of_node.data();
  parallel_rows(ctx, static_cast<std::int64_t>(list.size()), [=] __device__(RowLanes lanes, std::int64_t i) {
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
      status[node] = highest == mis_out ? mis_out : is_lowest ? mis_in : mis_priority(first_node + node, next_round);
    }
  });
}

void flag_members(Context<Cuda>& ctx, Span<const MisStatus, Cuda> status_of_node, Span<std::uint8_t, Cuda> in_set) {
  const MisStatus* status = status_of_node.data();
  std::uint8_t* flags = in_set.data();
  parallel_for(ctx, static_cast<std::int64_t>(status_of_node.size()),
               [=] __device__(std::int64_t i) { flags[i] = status[i] == mis_in ? 1 : 0; });
}

}  // namespace amgsolve::detail
