#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

/// The steps of amalgamate() that each memory space has its own of.
namespace amgsolve {

/// counts_I = the blocks in row I of nodes.
template <class T>
void count_blocks(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index block_size, Span<Offset, Host> counts);
template <class T>
void count_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Index block_size, Span<Offset, Cuda> counts);

/// Fills the columns and values of the norms, whose row offsets are known.
template <class T>
void fill_block_norms(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index block_size, CsrMatrix<T, Host>& norms);
template <class T>
void fill_block_norms(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Index block_size, CsrMatrix<T, Cuda>& norms);

}  // namespace amgsolve
