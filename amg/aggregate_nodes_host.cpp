#include "amg/aggregate_nodes.hpp"
#include "spmv/counting_sort_host.hpp"

namespace amgsolve {

AggregateNodes<Host> aggregate_nodes(Context<Host>& ctx, const Aggregates<Host>& aggregates) {
  const Span<const Index, Host> of_node = aggregates.of_node.span();
  const std::int64_t all = std::ssize(of_node);
  AggregateNodes<Host> result;
  result.offsets = Buffer<Offset, Host>(ctx, static_cast<std::size_t>(aggregates.count) + 1);
  CountingSort by_aggregate(ctx, all, aggregates.count, result.offsets.span(),
                            [of_node, all](std::int64_t chunk, std::int64_t chunks, const auto& sink) {
                              const std::int64_t end = all * (chunk + 1) / chunks;
                              for (std::int64_t node = all * chunk / chunks; node < end; ++node) {
                                if (const Index a = of_node.data()[node]; a != Aggregates<Host>::none) {
                                  sink(a, static_cast<Index>(node));
                                }
                              }
                            });
  result.nodes = Buffer<Index, Host>(ctx, static_cast<std::size_t>(result.offsets.span().end()[-1]));
  Index* const nodes = result.nodes.data();
  by_aggregate.place(
      ctx, [](Index) { return true; }, [nodes](Offset position, Index, Index node) { nodes[position] = node; });
  return result;
}

}  // namespace amgsolve
