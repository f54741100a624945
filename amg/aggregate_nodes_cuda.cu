#include <bit>

#include "amg/aggregate_nodes.hpp"
#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {

AggregateNodes<Cuda> aggregate_nodes(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates) {
  const auto n = static_cast<std::int64_t>(aggregates.of_node.size());
  const auto count = static_cast<std::size_t>(aggregates.count);
  WorkspaceScope scope(ctx.workspace());
  const auto aggregate_keys = scope.take<std::uint64_t>(aggregates.of_node.size());
  const auto sorted_nodes = scope.take<Offset>(aggregates.of_node.size());
  std::uint64_t* keys = aggregate_keys.data();
  Offset* sorted = sorted_nodes.data();
  const Index* of_node = aggregates.of_node.data();
  // A stable sort leaves the nodes of an aggregate ascending; those of none come last.
  parallel_for(ctx, n, [=] __device__(std::int64_t node) {
    const Index a = of_node[node];
    keys[node] = a == Aggregates<Cuda>::none ? count : static_cast<std::uint64_t>(a);
    sorted[node] = node;
  });
  sort_pairs(ctx, aggregate_keys, sorted_nodes, static_cast<int>(std::bit_width(count)));

  AggregateNodes<Cuda> result;
  result.offsets = Buffer<Offset, Cuda>(ctx, count + 1);
  Offset* offsets = result.offsets.data();
  // The place i between two nodes is where all aggregates after that of the left one, up to that of the right, begin.
  parallel_for(ctx, n + 1, [=] __device__(std::int64_t i) {
    const std::uint64_t first = i == 0 ? 0 : keys[i - 1] + 1;
    const std::uint64_t last = i == n ? count : keys[i];
    for (std::uint64_t a = first; a <= last; ++a) {
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
