#pragma once

#include <memory>

#include "dist/local_matrix.hpp"

/// Rows of unknowns and rows of nodes, of which each has the same number of consecutive unknowns.
namespace amgsolve {

/// Whether each rank has all rows of its nodes.
bool has_whole_nodes(const Partition& rows, Index unknowns);

/// The window of the nodes that a window of unknowns has any of, where ranks have whole nodes; that window itself where
/// a node has one unknown. Collective.
template <MemorySpace S>
std::shared_ptr<const Layout<S>> layout_of_nodes(Context<S>& ctx, std::shared_ptr<const Layout<S>> unknowns,
                                                 Index unknowns_a_node);

/// The window of all unknowns of a window's nodes; that itself where a node has one. Collective.
/// @param connects  else the layout is an unconnected one
template <MemorySpace S>
std::shared_ptr<const Layout<S>> layout_of_unknowns(Context<S>& ctx, std::shared_ptr<const Layout<S>> nodes,
                                                    Index unknowns_a_node, bool connects = true);

/// A strip over a window of whole nodes. Collective.
template <class T, MemorySpace S>
struct NodeStrip {
  LocalMatrix<T, S> unknowns;
  std::shared_ptr<const Layout<S>> nodes;  ///< of the window
};
template <class T, MemorySpace S>
NodeStrip<T, S> with_whole_nodes(Context<S>& ctx, LocalMatrix<T, S> A, Index unknowns_a_node);

/// Gives two strips of the same rows one window, that of the columns of either. Collective.
template <class T, MemorySpace S>
void join_windows(Context<S>& ctx, NodeStrip<T, S>& A, NodeStrip<T, S>& B, Index unknowns_a_node);

}  // namespace amgsolve
