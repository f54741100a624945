#pragma once

#include "core/context.hpp"
#include "spmv/blas1.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/operator.hpp"

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

/// A copy by node of an x by field.
template <class T, MemorySpace S>
MultiVector<T, S> by_node(Context<S>& ctx, MultiVectorView<const T, S> x, Index block_size);

/// A product of vectors by node from one of vectors by field, which must outlive it. Takes two vectors more.
template <class T, MemorySpace S>
FormProduct<T, S> by_node(const FormProduct<T, S>& product, Index block_size);

}  // namespace amgsolve
