#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"

/// The steps of amalgamate() that each memory space has its own of.
namespace amgsolve {

/// counts_I = the blocks in row I of nodes.
template <class T>
void count_blocks(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index block_size, Span<Offset, Host> counts);
template <class T>
void count_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Index block_size, Span<Offset, Cuda> counts);

/// Fills the columns and values of the matrix of nodes, whose row offsets are known.
template <class T>
void fill_blocks(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index block_size, FatView<const T, Host> candidates,
                 CsrMatrix<T, Host>& nodes);
template <class T>
void fill_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Index block_size, FatView<const T, Cuda> candidates,
                 CsrMatrix<T, Cuda>& nodes);

}  // namespace amgsolve
