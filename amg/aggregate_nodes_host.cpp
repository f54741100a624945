#include "amg/aggregate_nodes.hpp"
#include "core/algorithms.hpp"

namespace amgsolve {

AggregateNodes<Host> aggregate_nodes(Context<Host>& ctx, const Aggregates<Host>& aggregates) {
  AggregateNodes<Host> result;
  result.offsets = Buffer<Offset, Host>(ctx, static_cast<std::size_t>(aggregates.count) + 1);
  for (Offset& offset : result.offsets.span()) {
    offset = 0;
  }
  const auto of_node = aggregates.of_node.span();
  // Sequential: two passes over nodes · 4 bytes, little of a setup; threads would each need a copy of the counts.
  for (const Index a : of_node) {
    if (a != Aggregates<Host>::none) {
      ++result.offsets[static_cast<std::size_t>(a) + 1];
    }
  }
  const Offset grouped = counts_to_offsets(ctx, result.offsets);
  result.nodes = Buffer<Index, Host>(ctx, static_cast<std::size_t>(grouped));
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto next = scope.take<Offset>(static_cast<std::size_t>(aggregates.count));
  for (std::size_t a = 0; a < next.size(); ++a) {
    next[a] = result.offsets[a];
  }
  for (std::size_t node = 0; node < of_node.size(); ++node) {
    if (const Index a = of_node[node]; a != Aggregates<Host>::none) {
      result.nodes[static_cast<std::size_t>(next[static_cast<std::size_t>(a)]++)] = static_cast<Index>(node);
    }
  }
  return result;
}

}  // namespace amgsolve
