#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// The matrix of A's blocks A_IJ of b × b entries, on which strength between nodes of b unknowns is judged.
///
/// Without candidates entry (I, J) is the Frobenius norm of A_IJ, the squares taken of its entries over the largest of
/// them, so that none is too large or too small for T. With k ≥ b candidates B it is Σ_r σ_Ir σ_Jr (A_IJ)_rr, where
/// σ_Ir is the sign of candidate r at unknown r of node I: what of the block lies between like unknowns, and with which
/// sign it pulls. That is what becomes of A itself with one unknown a node.
///
/// O(nnz).
/// Throws std::invalid_argument where A is not square, its size no multiple of b, or the candidates do not fit.
/// Synchronises.
template <class T, MemorySpace S>
CsrMatrix<T, S> amalgamate(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size,
                           std::type_identity_t<MultiVectorView<const T, S>> candidates = {});

/// Of the entries that the blocks of A would have if they were whole, the share that it has. Throws as amalgamate()
/// does. Synchronises.
/// @param ranks  those that share A, as the square one of a window (square_of()); collective then
template <class T, MemorySpace S>
double share_of_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size,
                       const Communicator& ranks = Communicator::serial());

}  // namespace amgsolve
