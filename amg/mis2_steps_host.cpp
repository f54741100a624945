#include <algorithm>

#include "amg/mis2_steps.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve::detail {

void start_mis2(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> takes_part,
                Span<MisStatus, Host> status, Span<MisStatus, Host> lowest, Span<std::uint8_t, Host> flags) {
  parallel_for(ctx, graph.nodes, [&](std::int64_t node) {
    const auto i = static_cast<std::size_t>(node);
    const bool present = !graph.neighbours(i).empty() && (takes_part.empty() || takes_part[i] != 0);
    const MisStatus priority = mis_priority(graph.first_node + node, 0);
    status[i] = present ? priority : mis_out;
    lowest[i] = present ? priority : mis_absent;
    flags[i] = present ? 1 : 0;
  });
}

void flag_priorities(Context<Host>& ctx, Span<const MisStatus, Host> status, Span<const Index, Host> nodes,
                     Span<std::uint8_t, Host> flags) {
  parallel_for(ctx, static_cast<std::int64_t>(nodes.size()), [&](std::int64_t k) {
    const auto i = static_cast<std::size_t>(k);
    flags[i] = is_priority(status[static_cast<std::size_t>(nodes[i])]) ? 1 : 0;
  });
}

void look_up(Context<Host>& ctx, Span<const Index, Host> nodes, Span<Index, Host> places) {
  parallel_for(ctx, static_cast<std::int64_t>(places.size()), [&](std::int64_t i) {
    Index& place = places[static_cast<std::size_t>(i)];
    place = nodes[static_cast<std::size_t>(place)];
  });
}

void find_lowest(Context<Host>& ctx, const Graph<Host>& graph, Span<const Index, Host> nodes,
                 Span<const MisStatus, Host> status, Span<MisStatus, Host> lowest) {
  parallel_for(ctx, static_cast<std::int64_t>(nodes.size()), [&](std::int64_t k) {
    const auto i = static_cast<std::size_t>(nodes[static_cast<std::size_t>(k)]);
    MisStatus minimum = status[i];
    for (const Index j : graph.neighbours(i)) {
      minimum = std::min(minimum, status[static_cast<std::size_t>(j)]);
    }
    lowest[i] = minimum == mis_in ? mis_out : minimum;
  });
}

void decide(Context<Host>& ctx, const Graph<Host>& graph, Span<const Index, Host> nodes, std::uint32_t next_round,
            Span<const MisStatus, Host> lowest, Span<MisStatus, Host> status) {
  parallel_for(ctx, static_cast<std::int64_t>(nodes.size()), [&](std::int64_t k) {
    const Index node = nodes[static_cast<std::size_t>(k)];
    const auto i = static_cast<std::size_t>(node);
    MisStatus minimum = lowest[i];
    MisStatus highest = minimum;
    for (const Index j : graph.neighbours(i)) {
      const MisStatus other = lowest[static_cast<std::size_t>(j)];
      minimum = other == mis_absent ? minimum : std::min(minimum, other);
      highest = std::max(highest, other);
    }
    const bool is_lowest = minimum == status[i] && highest == status[i];
    status[i] = highest == mis_out ? mis_out : is_lowest ? mis_in : mis_priority(graph.first_node + node, next_round);
  });
}

void flag_members(Context<Host>& ctx, Span<const MisStatus, Host> status, Span<std::uint8_t, Host> in_set) {
  parallel_for(ctx, static_cast<std::int64_t>(status.size()), [&](std::int64_t i) {
    in_set[static_cast<std::size_t>(i)] = status[static_cast<std::size_t>(i)] == mis_in ? 1 : 0;
  });
}

}  // namespace amgsolve::detail
