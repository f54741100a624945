#pragma once

#include "amg/aggregation.hpp"
#include "core/context.hpp"

namespace amgsolve {

/// The nodes of each aggregate: those of aggregate a are nodes[offsets[a]] … nodes[offsets[a + 1] − 1], ascending.
template <MemorySpace S>
struct AggregateNodes {
  Buffer<Offset, S> offsets;  ///< count + 1
  Buffer<Index, S> nodes;
};

/// Groups the nodes by aggregate. O(nodes).
AggregateNodes<Host> aggregate_nodes(Context<Host>& ctx, const Aggregates<Host>& aggregates);
AggregateNodes<Cuda> aggregate_nodes(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates);

}  // namespace amgsolve
