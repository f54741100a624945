#pragma once

#include "core/context.hpp"
#include "spmv/blas1.hpp"
#include "spmv/csr_matrix.hpp"

/// Systems of b unknowns a node whose numbering goes field by field, unknown c of node I being c n + I of n nodes, in
/// the numbering by node, b I + c, and back.
namespace amgsolve {

/// A with rows and columns by node. O(nnz) and a sort of each row.
/// Throws std::invalid_argument where A is not square or its size no multiple of b.
template <class T, MemorySpace S>
CsrMatrix<T, S> order_by_node(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size);

/// The rows of y by node from those of x by field.
template <class T, MemorySpace S>
void order_by_node(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Index block_size,
                   Same<MultiVectorView<T, S>> y);

/// The rows of y by field from those of x by node.
template <class T, MemorySpace S>
void order_by_field(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Index block_size,
                    Same<MultiVectorView<T, S>> y);

}  // namespace amgsolve
