#pragma once

#include "amg/aggregation.hpp"
#include "core/context.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// The connected components of the graph of A's nodes, of block_size unknowns each, numbered by their lowest nodes.
/// Nodes are joined by any entry between their unknowns, either way round, that is not zero. The same on host and
/// device. Synchronises. Cost: see Operator::find_lowest_connected().
template <class T, MemorySpace S>
Aggregates<S> connected_components(Context<S>& ctx, const Operator<T, S>& A, Index block_size);

}  // namespace amgsolve
