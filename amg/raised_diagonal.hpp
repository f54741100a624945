#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// More than what |a_ii| lacks of Σ_{j≠i} |a_ij| is added where it lacks something, as a part of that: a matrix that
/// has no more may be singular, as one of two blocks ((D, L), (L, D)), and multigrid then leaves vectors out.
inline constexpr double definite_part = 0.5;

/// A with the diagonal |a_ii| or, where that is less than s_i = Σ_{j≠i} |a_ij|, s_i + (s_i − |a_ii|) / 2, which is
/// positive semi-definite for a symmetric A whatever its signs, by Gershgorin's circles, definite in all parts of its
/// graph in which a row was raised, and A itself where A is diagonally dominant with a positive diagonal: to
/// precondition an indefinite A, from a Laplacian that is shifted past some of its eigenvalues it makes the Laplacian
/// with half of that shift added. A row that stores no diagonal entry gets one. Two passes over A. Synchronises.
template <class T, MemorySpace S>
CsrMatrix<T, S> raised_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A);

}  // namespace amgsolve
