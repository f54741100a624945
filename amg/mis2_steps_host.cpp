#include <algorithm>
#include <numeric>

#include "amg/mis2_steps.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve::detail {
namespace {

/// is_settled(node) for the nodes, of which those that are leave the list.
template <class Settle>
void settle(Context<Host>& ctx, UnsettledNodes<Host>& list, const Settle& is_settled) {
  const auto blocks = static_cast<std::int64_t>(list.of_block.size());
  Index* const nodes = list.nodes.data();
  parallel_for(
      ctx, blocks,
      [&](std::int64_t block) {
        Index& count = list.of_block[static_cast<std::size_t>(block)];
        const auto first = static_cast<Index>(block * list.block);
        const Index end = list.are_listed ? first + count : std::min(list.all - first, list.block) + first;
        Index next = first;
        for (Index k = first; k < end; ++k) {
          const Index node = list.are_listed ? nodes[k] : k;
          const bool stays = !is_settled(static_cast<std::size_t>(node));
          nodes[next] = node;
          next += stays;
        }
        count = next - first;
      },
      row_work * list.count / std::max(blocks, std::int64_t{1}) + 1);
  list.are_listed = true;
  list.count = std::accumulate(list.of_block.begin(), list.of_block.end(), Index{0});
}

}  // namespace

UnsettledLists<Host> all_unsettled(Context<Host>&, const Graph<Host>& graph, WorkspaceScope<Host>& scope) {
  constexpr auto block = static_cast<std::size_t>(UnsettledNodes<Host>::block);
  const auto n = static_cast<std::size_t>(graph.nodes);
  const auto list = [&] {
    return UnsettledNodes<Host>{.all = graph.nodes,
                                .count = graph.nodes,
                                .nodes = scope.take<Index>(n),
                                .of_block = scope.take<Index>((n + block - 1) / block)};
  };
  return {list(), list()};
}

bool may_go_on(Context<Host>&, UnsettledLists<Host>& lists) { return lists.undecided.count > 0; }

void start_mis2(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> is_active,
                const MisPriorities& priority, Span<MisStatus, Host> status, Span<MisStatus, Host> lowest) {
  parallel_for(ctx, graph.nodes, [&](std::int64_t node) {
    const auto i = static_cast<std::size_t>(node);
    const bool present = !graph.neighbours(i).empty() && (is_active.empty() || is_active[i] != 0);
    const MisStatus first = priority(node, std::ssize(graph.neighbours(i)), 0);
    status[i] = present ? first : mis_out;
    lowest[i] = present ? first : mis_absent;
  });
}

void find_lowest(Context<Host>& ctx, const Graph<Host>& graph, UnsettledNodes<Host>& nodes,
                 Span<const MisStatus, Host> status, Span<MisStatus, Host> lowest) {
  settle(ctx, nodes, [&](std::size_t i) {
    if (!is_priority(lowest[i])) {
      return true;
    }
    MisStatus minimum = status[i];
    for (const Index j : graph.neighbours(i)) {
      minimum = std::min(minimum, status[static_cast<std::size_t>(j)]);
    }
    // Without a branch, since no processor would foresee where members are.
    static_assert(mis_in - 1 == mis_out);
    lowest[i] = minimum - static_cast<MisStatus>(minimum == mis_in);
    return !is_priority(lowest[i]);
  });
}

void decide(Context<Host>& ctx, const Graph<Host>& graph, UnsettledNodes<Host>& nodes, const MisPriorities& priority,
            std::uint32_t next_round, Span<const MisStatus, Host> lowest, Span<MisStatus, Host> status) {
  settle(ctx, nodes, [&](std::size_t i) {
    if (!is_priority(status[i])) {
      return true;
    }
    // One less than statuses, so that mis_absent is more than all.
    static_assert(mis_absent - 1 == mis_out);
    MisStatus minimum = lowest[i] - 1;
    MisStatus highest = lowest[i];
    for (const Index j : graph.neighbours(i)) {
      const MisStatus other = lowest[static_cast<std::size_t>(j)];
      minimum = std::min(minimum, other - 1);
      highest = std::max(highest, other);
    }
    const bool is_lowest = (minimum + 1 == status[i]) & (status[i] != mis_waits);
    status[i] = highest == mis_out ? mis_out
                : is_lowest        ? mis_in
                            : priority(static_cast<std::int64_t>(i), std::ssize(graph.neighbours(i)), next_round);
    return !is_priority(status[i]);
  });
}

void flag_members(Context<Host>& ctx, Span<const MisStatus, Host> status, Span<std::uint8_t, Host> in_set) {
  parallel_for(ctx, static_cast<std::int64_t>(status.size()), [&](std::int64_t i) {
    in_set[static_cast<std::size_t>(i)] = status[static_cast<std::size_t>(i)] == mis_in ? 1 : 0;
  });
}

}  // namespace amgsolve::detail
