#pragma once

#include "spmv/csr_matrix.hpp"
#include "spmv/row_margins.hpp"

/// Matrices whose entries come in dense blocks, one for each pair of nodes that are connected.
namespace amgsolve {

/// Where the blocks are, as a matrix of nodes; every value is 1.
template <MemorySpace S>
using NodePattern = CsrMatrix<float, S>;

/// The pattern of A's blocks of rows × cols. False where an entry of one is missing. One pass over A's columns.
/// Synchronises.
template <class T, MemorySpace S>
bool find_node_pattern(Context<S>& ctx, const CsrMatrix<T, S>& A, Index rows, Index cols, NodePattern<S>& pattern);

/// The matrix with these blocks of rows × cols; its values are uninitialised.
/// @param margins  beside its entries
template <class T, MemorySpace S>
CsrMatrix<T, S> matrix_of_nodes(Context<S>& ctx, const NodePattern<S>& pattern, Index rows, Index cols,
                                const RowMargins& margins);

}  // namespace amgsolve
