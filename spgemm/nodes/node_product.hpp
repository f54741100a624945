#pragma once

#include <optional>

#include "spgemm/options.hpp"

namespace amgsolve {

/// Most unknowns of a node for multiply_by_nodes().
inline constexpr Index most_node_unknowns = 6;

/// C = A B for matrices of nodes: those of options.nodes have their entries in dense blocks of nodes.rows ×
/// nodes.inner and nodes.inner × nodes.columns, and so has C. options.algorithm forms the pattern of C's blocks, of
/// which there are nodes.rows · nodes.columns times fewer than entries; the values of a node's rows are summed
/// together, each in the order of A's row. nullopt, after a look at the patterns, where an entry of a block is missing,
/// and without one for nodes of a single unknown or of more than most_node_unknowns. Times "symbolic" and "numeric".
/// Synchronises.
template <class T, MemorySpace S>
std::optional<SpgemmProduct<T, S>> multiply_by_nodes(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                     const CsrMatrix<T, S>& B, const SpgemmOptions& options);

}  // namespace amgsolve
