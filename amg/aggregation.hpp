#pragma once

#include "amg/graph.hpp"
#include "core/context.hpp"

namespace amgsolve {

/// A partition of the nodes of a graph into disjoint aggregates numbered from 0; nodes without strong neighbours belong
/// to none.
template <MemorySpace S>
struct Aggregates {
  static constexpr Index none = -1;

  Index count = 0;
  Buffer<Index, S> of_node;  ///< the aggregate of each node, or none
};

/// Aggregates around the nodes of a distance-2 maximal independent set (Bell, Dalton, Olson 2012): each member is the
/// root of an aggregate, numbered in the order of the nodes; its neighbours join it; every other node, two edges from
/// some root, joins the aggregate that most of its joined neighbours belong to (the lower number where several do).
/// Integers only: the same aggregates on host and device and for any number of threads. O(edges).
Aggregates<Host> aggregate(Context<Host>& ctx, const Graph<Host>& graph);
Aggregates<Cuda> aggregate(Context<Cuda>& ctx, const Graph<Cuda>& graph);

}  // namespace amgsolve
