#include <algorithm>

#include "amg/aggregation_rows.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve::detail {
namespace {

constexpr Index none = Aggregates<Host>::none;

/// What most of the neighbours have joined; the lowest on a tie. Adjacency lists are short, so counting by
/// comparing all pairs beats any table.
Index most_frequent(Span<const Index, Host> neighbours, Span<const Index, Host> joined) {
  Index best = none;
  Index best_links = 0;
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    const Index candidate = joined[static_cast<std::size_t>(neighbours[k])];
    if (candidate == none || candidate == best) {
      continue;
    }
    Index links = 1;
    for (std::size_t m = k + 1; m < neighbours.size(); ++m) {
      links += joined[static_cast<std::size_t>(neighbours[m])] == candidate ? 1 : 0;
    }
    if (links > best_links || (links == best_links && candidate < best)) {
      best = candidate;
      best_links = links;
    }
  }
  return best;
}

}  // namespace

void make_roots(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> in_set,
                Span<const std::uint8_t, Host> is_free, Index least_free, Span<Index, Host> root) {
  const auto is_free_neighbour = [&](Index node) { return is_free[static_cast<std::size_t>(node)] != 0; };
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) {
    const auto node = static_cast<std::size_t>(i);
    if (in_set[node] != 0 &&
        (least_free == 0 || std::ranges::count_if(graph.neighbours(node), is_free_neighbour) >= least_free)) {
      root[node] = static_cast<Index>(i);
    }
  });
}

void join_roots(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> is_root,
                Span<Index, Host> root) {
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) {
    const auto node = static_cast<std::size_t>(i);
    if (root[node] != none) {
      return;
    }
    Index joined = none;
    const auto neighbours = graph.neighbours(node);
    for (std::size_t k = neighbours.size(); k-- > 0;) {  // to the first one, without branches that none foresees
      joined = is_root[static_cast<std::size_t>(neighbours[k])] != 0 ? neighbours[k] : joined;
    }
    root[node] = joined;
  });
}

void join_neighbours(Context<Host>& ctx, const Graph<Host>& graph, Span<const Index, Host> joined,
                     Span<Index, Host> of_node) {
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) {
    const auto node = static_cast<std::size_t>(i);
    of_node[node] = joined[node] != none ? joined[node] : most_frequent(graph.neighbours(node), joined);
  });
}

AMGSOLVE_INSTANTIATE_FOR_NODES(Host)

}  // namespace amgsolve::detail
