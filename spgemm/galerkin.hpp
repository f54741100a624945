#pragma once

#include "spgemm/spgemm.hpp"
#include "spgemm/statistics.hpp"

namespace amgsolve {

/// The statistics of a Galerkin product's two products.
struct GalerkinStatistics {
  SpgemmStatistics AP;
  SpgemmStatistics RAP;  ///< of R times (A P)
};

/// The Galerkin product A_c = R (A P), with R = Pᵀ as the caller already has it (formed once, kept for the
/// restriction): A P first, which is shorter than R A. Times "multiply AP" and "multiply R(AP)" in ctx.profile(), and
/// "statistics" where these are wanted.
/// @param options     its nodes are those of A P
/// @param statistics  receives them; may be null
/// @param AP_kept     receives A P; may be null
template <class T, MemorySpace S>
CsrMatrix<T, S> galerkin_product(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                                 const CsrMatrix<T, S>& P, const SpgemmOptions& options = {},
                                 GalerkinStatistics* statistics = nullptr, CsrMatrix<T, S>* AP_kept = nullptr);

}  // namespace amgsolve
