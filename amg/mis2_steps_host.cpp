#include <algorithm>
#include <numeric>

#include "amg/mis2_steps.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve::detail {
namespace {

/// The arrays of a graph, by value: no write can change them.
struct GraphRef {
  const Offset* row_offsets;
  const Index* col_indices;

  explicit GraphRef(const Graph<Host>& graph)
      : row_offsets(graph.row_offsets.data()), col_indices(graph.col_indices.data()) {}

  Offset degree(Index node) const { return row_offsets[node + 1] - row_offsets[node]; }

  /// The lowest status of a node and its neighbours.
  MisStatus lowest_around(Index node, const MisStatus* status) const {
    MisStatus lowest = status[node];
#pragma GCC unroll 4
    for (Offset k = row_offsets[node]; k < row_offsets[node + 1]; ++k) {
      lowest = std::min(lowest, status[col_indices[k]]);
    }
    return lowest;
  }
};

/// is_settled(node) for the nodes of a block, `listed` or from `first` on, of which those that are not are written to
/// `unsettled`. Returns their number. A function of its own, since g++ runs out of registers where it is inlined into
/// what threads share: two threads took a tenth less than one.
template <bool IsListed, class Settle>
[[gnu::noinline]] Index settle_block(const Settle& given, Index first, Index count, Index* unsettled) {
  const Settle is_settled = given;
  const Index* const listed = unsettled;
  Index next = 0;
  for (Index k = 0; k < count; ++k) {
    const Index node = IsListed ? listed[k] : first + k;
    const bool stays = !is_settled(node);
    unsettled[next] = node;
    next += stays;
  }
  return next;
}

/// is_settled(node) for the nodes, of which those that are leave the list.
/// @param given  holds what it needs by value
template <class Settle>
void settle(Context<Host>& ctx, UnsettledNodes<Host>& list, const Settle& given) {
  const auto blocks = static_cast<std::int64_t>(list.of_block.size());
  parallel_for(
      ctx, blocks,
      [given, all = list.all, are_listed = list.are_listed, nodes = list.nodes.data(),
       counts = list.of_block.data()](std::int64_t block) {
        const auto first = static_cast<Index>(block * UnsettledNodes<Host>::block);
        Index* const unsettled = nodes + first;
        counts[block] = are_listed
                            ? settle_block<true>(given, first, counts[block], unsettled)
                            : settle_block<false>(given, first,
                                                  std::min(all - first, Index{UnsettledNodes<Host>::block}), unsettled);
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
    lowest[i] = status[i];
  });
}

void find_lowest(Context<Host>& ctx, const Graph<Host>& graph, UnsettledNodes<Host>& nodes,
                 Span<const MisStatus, Host> statuses, Span<MisStatus, Host> lowest_statuses) {
  settle(ctx, nodes, [graph = GraphRef(graph), status = statuses.data(), lowest = lowest_statuses.data()](Index i) {
    if (!is_priority(lowest[i])) {
      return true;
    }
    const MisStatus minimum = graph.lowest_around(i, status);
    lowest[i] = minimum;
    return !is_priority(minimum);
  });
}

void decide(Context<Host>& ctx, const Graph<Host>& graph, UnsettledNodes<Host>& nodes, const MisPriorities& priorities,
            std::uint32_t next_round, Span<const MisStatus, Host> lowest_statuses, Span<MisStatus, Host> statuses) {
  settle(ctx, nodes,
         [graph = GraphRef(graph), priority = priorities, next_round, lowest = lowest_statuses.data(),
          status = statuses.data()](Index i) {
           const MisStatus own = status[i];
           if (!is_priority(own)) {
             return true;
           }
           const MisStatus minimum = graph.lowest_around(i, lowest);
           // Without branches, since no processor would foresee them: all bits of mis_out are set, none of mis_in.
           const bool is_lowest = (minimum == own) & (own != mis_waits);
           const MisStatus next = priority(i, graph.degree(i), next_round);
           const MisStatus decided = (next | (MisStatus{0} - (minimum == mis_in))) & (MisStatus{is_lowest} - 1);
           status[i] = decided;
           return !is_priority(decided);
         });
}

void flag_members(Context<Host>& ctx, Span<const MisStatus, Host> status, Span<std::uint8_t, Host> in_set) {
  parallel_for(ctx, static_cast<std::int64_t>(status.size()), [&](std::int64_t i) {
    in_set[static_cast<std::size_t>(i)] = status[static_cast<std::size_t>(i)] == mis_in ? 1 : 0;
  });
}

}  // namespace amgsolve::detail
