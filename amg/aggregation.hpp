#pragma once

#include "amg/graph.hpp"
#include "amg/mis2.hpp"
#include "core/context.hpp"
#include "dist/layout.hpp"

namespace amgsolve {

/// A partition of the nodes of a graph into disjoint aggregates, numbered from 0 in the order of their roots; nodes
/// without strong neighbours belong to none, unless they are hubs.
template <MemorySpace S>
struct Aggregates {
  static constexpr Index none = -1;

  Index count = 0;
  Buffer<Index, S> of_node;  ///< the aggregate of each node, or none
};

/// The fewest nodes that are still free around a root of a later pass: smaller aggregates would make the coarse level
/// larger without making it better.
inline constexpr Index free_neighbours_wanted = 2;

/// Aggregates around the nodes of a distance-2 maximal independent set (Bell, Dalton, Olson 2012): each member is the
/// root of an aggregate; its neighbours join it; every other node, two edges from some root, joins the aggregate that
/// most of its joined neighbours belong to (that of the lower root where several do).
///
/// Roots chosen at random leave a third of the nodes over, which make those aggregates half as large again as a ball.
/// With a second pass (Kelley, Rajamanickam 2022, algorithm 3) a set of the nodes left over, independent among
/// themselves, gives more roots: those with at least free_neighbours_wanted neighbours left over form an aggregate with
/// them, and only what is left then joins the aggregates there are.
///
/// Integers only: the same aggregates on host and device and for any number of threads. O(edges) a pass.
/// @param passes  sets of roots, at least 1
/// @param hubs    nodes without neighbours that are to be an aggregate each
/// @param order   which nodes become roots first
template <MemorySpace S>
Aggregates<S> aggregate(Context<S>& ctx, const Graph<S>& graph, int passes = 1,
                        std::type_identity_t<Span<const Index, S>> hubs = {}, MisOrder order = MisOrder::random);

/// Aggregates of nodes that ranks share: each is its root's owner's.
template <MemorySpace S>
struct SharedAggregates {
  Partition partition;       ///< of the aggregates
  Buffer<Index, S> of_node;  ///< by its number in the whole level, of all nodes of the window, or Aggregates::none
};

/// The aggregates that aggregate() makes of the whole graph, with its numbers. Collective.
/// @param graph   of the window: lists of the own nodes, the ghosts have none
/// @param window  of the nodes
/// Throws InputError where there are 2³¹ of them.
template <MemorySpace S>
SharedAggregates<S> aggregate_shared(Context<S>& ctx, const Graph<S>& graph, const Layout<S>& window, int passes,
                                     MisOrder order = MisOrder::random);

}  // namespace amgsolve
