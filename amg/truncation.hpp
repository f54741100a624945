#pragma once

#include "amg/right_division.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

inline constexpr Index most_truncated_candidates = small_block;

/// P without the entries p_ij of which |p_ij b_j|, with b = B_c, is below τ times the largest of their row: what counts
/// is what they give P B_c, however columns are scaled. What stays of a row is scaled so that P B_c keeps its value
/// there; a row in which that would turn signs or make entries more than four times as large stays whole, the latter
/// for τ < 1 alone.
///
/// With k candidates P has k rows a node, and k columns an aggregate: blocks P_IJ, whose parts of P B_c are P_IJ B_J. A
/// block stays where for one of the candidates c the sum Σ_r |(P_IJ B_J)_rc| is at least τ times the largest of its
/// node, and is stored whole then. What stays of a node is multiplied by the k × k matrix X_I with which P B_c keeps
/// its value there; a node where X_I would have a diagonal entry that is not positive, or a sum of magnitudes in a row
/// above four, stays whole, the latter for τ < 1 alone, and so does one that has no X_I. Unknowns of a node may have
/// units of their own, as displacements and rotations have; which blocks stay depends on these. O(nnz k). Synchronises.
/// @param coarse_candidates  B_c, P.cols × k with k ≤ most_truncated_candidates
/// @param drop_tolerance     τ
/// Throws std::invalid_argument naming the sizes where they do not match.
template <class T, MemorySpace S>
CsrMatrix<T, S> truncate_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& P,
                                     std::type_identity_t<MultiVectorView<const T, S>> coarse_candidates,
                                     double drop_tolerance);

/// The values of a truncated P, whose pattern stands, for new values of P: those of truncate_prolongator() bit by bit
/// where P has the values that it had there. A row, or a node, in which scaling would do what is said above is not
/// scaled. Throws std::invalid_argument naming the sizes where they do not match.
template <class T, MemorySpace S>
void refill_truncated_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& P,
                                  std::type_identity_t<MultiVectorView<const T, S>> coarse_candidates,
                                  double drop_tolerance, CsrMatrix<T, S>& truncated);

}  // namespace amgsolve
