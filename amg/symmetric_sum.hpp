#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// A + Aᵀ, twice the symmetric part of a square A, equal to its transpose bit by bit; entries that cancel to zero stay.
/// Merges each row with that of Aᵀ, twice: O(nnz), with Aᵀ as scratch. Throws std::invalid_argument where A is not
/// square.
template <class T, MemorySpace S>
CsrMatrix<T, S> symmetric_sum(Context<S>& ctx, const CsrMatrix<T, S>& A);

}  // namespace amgsolve
