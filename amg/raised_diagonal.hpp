#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/operand_window.hpp"

namespace amgsolve {

/// More than what |a_ii| lacks of Σ_{j≠i} |a_ij| is added where it lacks something, as a part of that: a matrix that
/// has no more may be singular, as one of two blocks ((D, L), (L, D)), and multigrid then leaves vectors out.
inline constexpr double definite_part = 0.5;

/// A with the diagonal |a_ii| or, where that is less than s_i = Σ_{j≠i} |a_ij| √(w_i / w_j), s_i + (s_i − |a_ii|) / 2,
/// for weights w > 0. That is positive semi-definite for a symmetric A whatever its signs, by Gershgorin's circles of
/// W^(−1/2) A W^(−1/2), whose row i has other entries of the sum s_i / w_i and a diagonal entry that is no less, and
/// definite in all parts of A's graph in which a row was raised. w is 1 or, where that adds less than half as much,
/// |a_ii| (Σ_{j≠i} |a_ij| where that is 0), with which other units of the unknowns, D A D, only change the units of the
/// result; what is added counts as the Euclidean norm of its parts of the diagonal. So A is left as it is where it is
/// diagonally dominant with a positive diagonal, in these units or scaled to a unit diagonal. To precondition an
/// indefinite A, from a Laplacian that is shifted past some of its eigenvalues it makes the Laplacian with half of that
/// shift added. A row that stores no diagonal entry gets one. Four passes over A. Synchronises.
/// @param window  of A's columns where ranks share its rows, which then all call; else null
template <class T, MemorySpace S>
CsrMatrix<T, S> raised_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, OperandWindow<T, S>* window = nullptr);

}  // namespace amgsolve
