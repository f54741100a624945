#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// A + Aᵀ, twice the symmetric part of a square A, equal to its transpose bit by bit; entries that cancel to zero stay.
/// Merges each row with that of Aᵀ, twice: O(nnz), with Aᵀ as scratch. Throws std::invalid_argument where A is not
/// square.
template <class T, MemorySpace S>
CsrMatrix<T, S> symmetric_sum(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// A + B, of two matrices of the same size with sorted rows; entries that cancel to zero stay. O(nnz).
template <class T, MemorySpace S>
CsrMatrix<T, S> sum_of(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B);

}  // namespace amgsolve
