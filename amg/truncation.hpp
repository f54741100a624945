#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// P without the entries p_ij of which |p_ij b_j|, with b = B_c, is below τ times the largest of their row: what counts
/// is what they give P B_c, however columns are scaled. What stays of a row is scaled so that P B_c keeps its value
/// there; a row in which that would turn signs or make entries more than four times as large stays whole, the latter
/// for τ < 1 alone.
/// O(nnz). Synchronises.
/// @param coarse_candidate  B_c, P.cols entries
/// @param drop_tolerance    τ
/// Throws std::invalid_argument naming both sizes where they do not match.
template <class T, MemorySpace S>
CsrMatrix<T, S> truncate_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& P,
                                     std::type_identity_t<Span<const T, S>> coarse_candidate, double drop_tolerance);

/// The values of a truncated P, whose pattern stands, for new values of P: those of truncate_prolongator() bit by bit
/// where P has the values that it had there. A row in which scaling would do what is said above is not scaled. Throws
/// std::invalid_argument naming the sizes where they do not match.
template <class T, MemorySpace S>
void refill_truncated_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& P,
                                  std::type_identity_t<Span<const T, S>> coarse_candidate, double drop_tolerance,
                                  CsrMatrix<T, S>& truncated);

}  // namespace amgsolve
