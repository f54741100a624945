#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// A with the diagonal max(|a_ii|, Σ_{j≠i} |a_ij|), which is positive semi-definite for a symmetric A whatever its
/// signs, by Gershgorin's circles, and A itself where A is diagonally dominant with a positive diagonal: to
/// precondition an indefinite A, from a Laplacian that is shifted past some of its eigenvalues it makes the Laplacian.
/// A row that stores no diagonal entry gets one. Two passes over A. Synchronises.
template <class T, MemorySpace S>
CsrMatrix<T, S> raised_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A);

}  // namespace amgsolve
