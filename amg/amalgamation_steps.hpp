#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

/// The steps of amalgamate() that each memory space has its own of.
namespace amgsolve {

/// counts_I = the blocks in row I of nodes.
template <class T, MemorySpace S>
void count_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, Span<Offset, S> counts);

/// Fills the columns and values of the matrix of nodes, whose row offsets are known.
template <class T, MemorySpace S>
void fill_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, MultiVectorView<const T, S> candidates,
                 CsrMatrix<T, S>& nodes);

}  // namespace amgsolve
