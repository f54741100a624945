#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// A + Aᵀ, twice the symmetric part of a square A, equal to its transpose bit by bit; entries that cancel to zero stay.
/// Cost as of coo_to_csr() for twice the entries of A. Throws std::invalid_argument where A is not square.
template <class T, MemorySpace S>
CsrMatrix<T, S> symmetric_sum(Context<S>& ctx, const CsrMatrix<T, S>& A);

}  // namespace amgsolve
