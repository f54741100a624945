#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// The matrix of the Frobenius norms of A's blocks: entry (I, J) is ‖A_{b I … b I + b − 1, b J … b J + b − 1}‖_F.
/// Strength between nodes of b unknowns is judged on it. A block's squares are taken of its entries over the largest of
/// them, so that none is too large or too small for T. O(nnz).
/// Throws std::invalid_argument where A is not square or its size no multiple of b. Synchronises.
template <class T, MemorySpace S>
CsrMatrix<T, S> amalgamate(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size);

}  // namespace amgsolve
