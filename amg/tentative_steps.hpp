#pragma once

#include "amg/aggregate_nodes.hpp"
#include "amg/tentative.hpp"

/// What tentative_prolongator is made of.
namespace amgsolve::detail {

/// basis = candidates in the rows of the nodes that have an aggregate, 0 in the others: these are never read as part of
/// T, but must not hold garbage.
template <class T>
void restrict_candidates(Context<Host>& ctx, const Aggregates<Host>& aggregates, Index block_size,
                         FatView<const T, Host> candidates, FatView<T, Host> basis);
template <class T>
void restrict_candidates(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates, Index block_size,
                         FatView<const T, Cuda> candidates, FatView<T, Cuda> basis);

/// B_a = Q_a R_a for every aggregate a: on entry B_a is in the rows of basis of its nodes, on return Q_a; R_a (k × k)
/// follow one another in coarse_candidates.
template <class T>
void orthonormalise(Context<Host>& ctx, const AggregateNodes<Host>& aggregates, Index block_size,
                    FatView<T, Host> basis, FatView<T, Host> coarse_candidates);
template <class T>
void orthonormalise(Context<Cuda>& ctx, const AggregateNodes<Cuda>& aggregates, Index block_size,
                    FatView<T, Cuda> basis, FatView<T, Cuda> coarse_candidates);

}  // namespace amgsolve::detail
