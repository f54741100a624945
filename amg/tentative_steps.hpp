#pragma once

#include "amg/aggregate_nodes.hpp"
#include "amg/tentative.hpp"

/// What tentative_prolongator is made of.
namespace amgsolve::detail {

/// basis = candidates in the rows of the nodes that have an aggregate, 0 in the others: these are never read as part of
/// T, but must not hold garbage.
template <class T, MemorySpace S>
void restrict_candidates(Context<S>& ctx, Span<const Index, S> aggregate_of_node, Index block_size,
                         std::type_identity_t<MultiVectorView<const T, S>> candidates,
                         std::type_identity_t<MultiVectorView<T, S>> basis);

/// B_a = Q_a R_a for every aggregate a: on entry B_a is in the rows of basis of its nodes, on return Q_a; R_a (k × k)
/// follow one another in coarse_candidates.
template <class T, MemorySpace S>
void orthonormalise(Context<S>& ctx, const AggregateNodes<S>& aggregates, Index block_size,
                    std::type_identity_t<MultiVectorView<T, S>> basis,
                    std::type_identity_t<MultiVectorView<T, S>> coarse_candidates);

}  // namespace amgsolve::detail
