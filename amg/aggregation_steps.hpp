#pragma once

#include "amg/aggregation.hpp"

/// What the passes of aggregate are made of. While they run, an aggregate is named by its root: root_i is the root of
/// node i's aggregate, or Aggregates::none while the node is free. A root is its own.
namespace amgsolve::detail {

/// All nodes are free.
template <MemorySpace S>
void free_all(Context<S>& ctx, Span<Index, S> root);

/// Makes these nodes, which have no neighbours, roots.
template <MemorySpace S>
void make_roots(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> nodes, Span<Index, S> root);

/// flags_i = 1 where node i is free, else 0.
template <MemorySpace S>
void flag_free(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> root, Span<std::uint8_t, S> flags);

/// flags_i = 1 where node i is a root, else 0.
template <MemorySpace S>
void flag_roots(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> root, Span<std::uint8_t, S> flags);

/// Gives the nodes flagged, which are to be roots, and their free neighbours to the aggregates that they name, unless
/// these are fewer than least_free. No free node is a neighbour of two of them.
void join_roots(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> is_root, Index least_free,
                Span<Index, Host> root);
void join_roots(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const std::uint8_t, Cuda> is_root, Index least_free,
                Span<Index, Cuda> root);

/// number_i = a for i = roots_a.
template <MemorySpace S>
void number_roots(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> roots, Span<Index, S> number);

/// of_node_i = number of node i's root or, where it is free, of the root of most of its joined neighbours (the lower
/// root where several are); none where there are none.
void number_aggregates(Context<Host>& ctx, const Graph<Host>& graph, Span<const Index, Host> root,
                       Span<const Index, Host> number, Span<Index, Host> of_node);
void number_aggregates(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const Index, Cuda> root,
                       Span<const Index, Cuda> number, Span<Index, Cuda> of_node);

/// The aggregates that roots name, numbered in the order of their roots: the steps above from flag_roots() on.
template <MemorySpace S>
Aggregates<S> aggregates_of_roots(Context<S>& ctx, const Graph<S>& graph,
                                  std::type_identity_t<Span<const Index, S>> root);

}  // namespace amgsolve::detail
