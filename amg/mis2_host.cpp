#include <algorithm>

#include "amg/mis2.hpp"
#include "core/algorithms.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

/// Keeps those nodes of the list for which keep(node) holds, in their order.
template <class Keep>
Span<Index, Host> compact(Context<Host>& ctx, Span<Index, Host> list, Span<Index, Host> room,
                          Span<std::uint8_t, Host> flags, Keep&& keep) {
  parallel_for(ctx, static_cast<std::int64_t>(list.size()), [&](std::int64_t i) {
    flags[static_cast<std::size_t>(i)] = keep(list[static_cast<std::size_t>(i)]) ? 1 : 0;
  });
  const Offset kept = select_flagged(ctx, flags.subspan(0, list.size()), room);
  const auto result = room.subspan(0, static_cast<std::size_t>(kept));
  parallel_for(ctx, kept, [&](std::int64_t i) {
    Index& position = result[static_cast<std::size_t>(i)];
    position = list[static_cast<std::size_t>(position)];
  });
  return result;
}

}  // namespace

void mis2(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> takes_part,
          Span<std::uint8_t, Host> in_set) {
  const auto n = static_cast<std::size_t>(graph.nodes);
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto status = scope.take<MisStatus>(n);
  // The lowest status in a node's closed neighbourhood, or mis_out once a member is in there: then every neighbour is
  // within two edges of that member.
  const auto lowest = scope.take<MisStatus>(n);
  const auto flags = scope.take<std::uint8_t>(n);
  auto undecided = scope.take<Index>(n);
  auto uncovered = scope.take<Index>(n);
  auto spare = scope.take<Index>(n);

  const auto neighbours = [&](Index node) {
    const auto i = static_cast<std::size_t>(node);
    const Index* columns = graph.col_indices.data();
    return Span<const Index, Host>(columns + graph.row_offsets[i],
                                   static_cast<std::size_t>(graph.row_offsets[i + 1] - graph.row_offsets[i]));
  };
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) {
    const auto node = static_cast<Index>(i);
    const bool present =
        !neighbours(node).empty() && (takes_part.empty() || takes_part[static_cast<std::size_t>(i)] != 0);
    status[static_cast<std::size_t>(i)] = present ? mis_priority(node, 0) : mis_out;
    lowest[static_cast<std::size_t>(i)] = present ? mis_priority(node, 0) : mis_absent;
    undecided[static_cast<std::size_t>(i)] = node;
    uncovered[static_cast<std::size_t>(i)] = node;
  });
  const auto swap_compacted = [&](Span<Index, Host>& list, auto&& keep) {
    const Span<Index, Host> kept = compact(ctx, list, spare, flags, keep);
    spare = {list.data(), n};
    list = kept;
  };
  const auto is_undecided = [&](Index node) {
    const MisStatus s = status[static_cast<std::size_t>(node)];
    return s != mis_in && s != mis_out;
  };
  const auto is_uncovered = [&](Index node) {
    const MisStatus l = lowest[static_cast<std::size_t>(node)];
    return l != mis_absent && l != mis_out;
  };
  swap_compacted(undecided, is_undecided);
  swap_compacted(uncovered, is_uncovered);

  for (std::uint32_t round = 1; !undecided.empty(); ++round) {
    parallel_for(ctx, static_cast<std::int64_t>(uncovered.size()), [&](std::int64_t i) {
      const Index node = uncovered[static_cast<std::size_t>(i)];
      MisStatus minimum = status[static_cast<std::size_t>(node)];
      for (const Index j : neighbours(node)) {
        minimum = std::min(minimum, status[static_cast<std::size_t>(j)]);
      }
      lowest[static_cast<std::size_t>(node)] = minimum == mis_in ? mis_out : minimum;
    });
    parallel_for(ctx, static_cast<std::int64_t>(undecided.size()), [&](std::int64_t i) {
      const Index node = undecided[static_cast<std::size_t>(i)];
      MisStatus& own = status[static_cast<std::size_t>(node)];
      MisStatus highest = lowest[static_cast<std::size_t>(node)];
      MisStatus minimum = highest;
      for (const Index j : neighbours(node)) {
        const MisStatus other = lowest[static_cast<std::size_t>(j)];
        highest = std::max(highest, other);
        minimum = other == mis_absent ? minimum : std::min(minimum, other);
      }
      if (highest == mis_out) {
        own = mis_out;
      } else if (highest == own && minimum == own) {
        own = mis_in;
      } else {
        own = mis_priority(node, round);
      }
    });
    swap_compacted(undecided, is_undecided);
    swap_compacted(uncovered, is_uncovered);
  }
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) {
    in_set[static_cast<std::size_t>(i)] = status[static_cast<std::size_t>(i)] == mis_in ? 1 : 0;
  });
}

}  // namespace amgsolve
