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

/// Makes the nodes of a set roots, but for those with fewer than least_free free neighbours.
void make_roots(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> in_set,
                Span<const std::uint8_t, Host> is_free, Index least_free, Span<Index, Host> root);
void make_roots(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const std::uint8_t, Cuda> in_set,
                Span<const std::uint8_t, Cuda> is_free, Index least_free, Span<Index, Cuda> root);

/// Gives free nodes to the lowest of the roots flagged that their lists name: the only one, but for graphs that are not
/// quite symmetric.
void join_roots(Context<Host>& ctx, const Graph<Host>& graph, Span<const std::uint8_t, Host> is_root,
                Span<Index, Host> root);
void join_roots(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const std::uint8_t, Cuda> is_root,
                Span<Index, Cuda> root);

/// Of ghosts only whether they are free is known: the others name themselves.
template <MemorySpace S>
void name_ghosts(Context<S>& ctx, const WindowColumns& window,
                 std::type_identity_t<Span<const std::uint8_t, S>> is_free, Span<Index, S> root);

/// number_i = first + a for i = roots_a.
template <MemorySpace S>
void number_roots(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> roots, Index first,
                  Span<Index, S> number);

/// joined_i = number of node i's root; none where it is free.
template <MemorySpace S>
void number_joined(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> root,
                   std::type_identity_t<Span<const Index, S>> number, Span<Index, S> joined);

/// of_node_i = joined_i or, where that is none, what most of the neighbours have joined (the lower one where several
/// are); none where there are none.
void join_neighbours(Context<Host>& ctx, const Graph<Host>& graph, Span<const Index, Host> joined,
                     Span<Index, Host> of_node);
void join_neighbours(Context<Cuda>& ctx, const Graph<Cuda>& graph, Span<const Index, Cuda> joined,
                     Span<Index, Cuda> of_node);

/// The aggregates that roots name, numbered in the order of their roots: the steps above from flag_roots() on.
template <MemorySpace S>
Aggregates<S> aggregates_of_roots(Context<S>& ctx, const Graph<S>& graph,
                                  std::type_identity_t<Span<const Index, S>> root);

}  // namespace amgsolve::detail
