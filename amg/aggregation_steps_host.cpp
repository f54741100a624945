#include <algorithm>

#include "amg/aggregation_rows.hpp"
#include "amg/most_frequent_root.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve::detail {
namespace {

constexpr Index none = Aggregates<Host>::none;

}  // namespace

void join_roots(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> is_root, Index least_free,
                Span<Index, Host> root) {
  // Neighbours of two roots are not free: only ever read here.
  const auto is_free = [&](Index node) { return root[static_cast<std::size_t>(node)] == none; };
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) {
    const auto node = static_cast<std::size_t>(i);
    if (is_root[node] == 0 || std::ranges::count_if(graph.neighbours(node), is_free) < least_free) {
      return;
    }
    root[node] = static_cast<Index>(i);
    for (const Index neighbour : graph.neighbours(node)) {
      if (is_free(neighbour)) {
        root[static_cast<std::size_t>(neighbour)] = static_cast<Index>(i);
      }
    }
  });
}

void number_aggregates(Context<Host>& ctx, const Graph<Host>& graph, Span<const Index, Host> root,
                       Span<const Index, Host> number, Span<Index, Host> of_node) {
  parallel_for(ctx, graph.nodes, [&](std::int64_t i) {
    const auto node = static_cast<std::size_t>(i);
    const Index joined = root[node] != none ? root[node] : most_frequent_root<Index>(graph.neighbours(node), root);
    of_node[node] = joined != none ? number[static_cast<std::size_t>(joined)] : none;
  });
}

AMGSOLVE_INSTANTIATE_FOR_NODES(Host)

}  // namespace amgsolve::detail
