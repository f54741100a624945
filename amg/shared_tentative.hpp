#pragma once

#include "amg/aggregation.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// The tentative prolongator where ranks share the nodes.
template <class T, MemorySpace S>
struct SharedTentative {
  MultiVector<T, S> basis;              ///< T's rows for the nodes of the window; 0 where a node has no aggregate
  MultiVector<T, S> coarse_candidates;  ///< of the own aggregates
  Buffer<Index, S> away;                ///< the aggregates of other ranks that own nodes are in, once for each of these
};

/// What tentative_prolongator() makes of the whole level. The owner of an aggregate orthonormalises the candidates of
/// its nodes, of which other ranks send theirs. Collective.
/// @param window      of the nodes
/// @param block_size  unknowns a node
/// @param candidates  of the own nodes' unknowns
template <class T, MemorySpace S>
SharedTentative<T, S> shared_tentative(Context<S>& ctx, const SharedAggregates<S>& aggregates, const Layout<S>& window,
                                       Index block_size, MultiVectorView<const T, S> candidates);

}  // namespace amgsolve
