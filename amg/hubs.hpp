#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

/// Nodes with rows that are dense beside the others, as those of a constraint or of what a whole network hangs on. A P
/// that is smoothed by a row of L entries touches all aggregates around it, about L / 10, and Pᵀ A P couples each with
/// each: for L > 5 √nnz this alone is a quarter of A's entries, half of all that a coarse level may have. So hubs take
/// no part in aggregation and are aggregates of their own, and P is smoothed by A without their rows: there it is T.
/// Their columns stay; they add no more than an entry a hub to a row of P, and the sums of all other rows remain those
/// of A.
namespace amgsolve {

/// The nodes that have a row of more than 5 √nnz entries, ascending: fewer than √nnz / 5. O(rows). Synchronises.
/// @param block_size  unknowns a node
template <class T, MemorySpace S>
Buffer<Index, S> find_hubs(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size);

/// A with nothing but 0 on the diagonal in all rows of its hubs. O(nnz). Synchronises.
template <class T, MemorySpace S>
CsrMatrix<T, S> without_hubs(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size);

}  // namespace amgsolve
