#pragma once

#include <cstdint>

#include "amg/graph.hpp"
#include "core/buffer.hpp"
#include "dist/layout.hpp"

namespace amgsolve {

/// Aggregates of nodes that ranks share.
struct SharedAggregates {
  Partition partition;                 ///< of the aggregates: each is its root's owner's
  Buffer<std::int64_t, Host> of_node;  ///< by its number in the whole level, of all nodes of the window; −1: none
};

/// What aggregate() does, with its numbers. Collective.
/// @param graph   of the window: lists of the own nodes, the ghosts have none
/// @param layout  the window
SharedAggregates aggregate_shared(Context<Host>& ctx, const Graph<Host>& graph, const Layout& layout, int passes);

}  // namespace amgsolve
