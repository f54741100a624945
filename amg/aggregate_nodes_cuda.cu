#include <bit>

#include "amg/aggregate_nodes.hpp"
#include "core/copy.hpp"
#include "core/parallel_cuda.cuh"
#include "core/radix_pairs_cuda.hpp"

namespace amgsolve {

AggregateNodes<Cuda> aggregate_nodes(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates) {
  const auto n = static_cast<std::int64_t>(aggregates.of_node.size());
  const auto count = static_cast<std::uint32_t>(aggregates.count);
  WorkspaceScope scope(ctx.workspace());
  RadixPairs<std::uint32_t> pairs(scope, aggregates.of_node.size());
  std::uint32_t* const aggregate_of = pairs.keys();
  std::uint32_t* const node_of = pairs.values();
  const Index* of_node = aggregates.of_node.data();
  // A stable sort leaves the nodes of an aggregate ascending; those of none come last.
  parallel_for(ctx, n, [=] __device__(std::int64_t node) {
    const Index a = of_node[node];
    aggregate_of[node] = a == Aggregates<Cuda>::none ? count : static_cast<std::uint32_t>(a);
    node_of[node] = static_cast<std::uint32_t>(node);
  });
  pairs.sort(ctx, static_cast<int>(std::bit_width(count)));

  const std::uint32_t* const keys = pairs.keys();
  const std::uint32_t* const sorted = pairs.values();
  AggregateNodes<Cuda> result;
  result.offsets = Buffer<Offset, Cuda>(ctx, std::size_t{count} + 1);
  Offset* offsets = result.offsets.data();
  // The place i between two nodes is where all aggregates after that of the left one, up to that of the right, begin.
  parallel_for(ctx, n + 1, [=] __device__(std::int64_t i) {
    const std::uint32_t first = i == 0 ? 0 : keys[i - 1] + 1;
    const std::uint32_t last = i == n ? count : keys[i];
    for (std::uint32_t a = first; a <= last; ++a) {
      offsets[a] = i;
    }
  });
  const Offset grouped = element(ctx, result.offsets.span(), count);
  result.nodes = Buffer<Index, Cuda>(ctx, static_cast<std::size_t>(grouped));
  Index* nodes = result.nodes.data();
  parallel_for(ctx, grouped, [=] __device__(std::int64_t i) { nodes[i] = static_cast<Index>(sorted[i]); });
  return result;
}

}  // namespace amgsolve
