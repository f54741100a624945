#pragma once

#include "spgemm/spgemm.hpp"
#include "spgemm/statistics.hpp"

namespace amgsolve {

/// The statistics of a Galerkin product's two products.
struct GalerkinStatistics {
  SpgemmStatistics AP;
  SpgemmStatistics RAP;  ///< of R times (A P)
};

/// The options of R (A P), for those of A P.
SpgemmOptions restricted(SpgemmOptions options);

/// The statistics of A_c = R (A P), which has been formed, timed as "statistics".
template <class T, MemorySpace S>
GalerkinStatistics galerkin_statistics(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                                       const CsrMatrix<T, S>& P, const CsrMatrix<T, S>& AP,
                                       const CsrMatrix<T, S>& coarse);

/// The Galerkin product A_c = R (A P), with R = Pᵀ as the caller already has it (formed once, kept for the
/// restriction): A P first, which is shorter than R A. Times "multiply AP" and "multiply R(AP)" in ctx.profile().
/// @param options     its nodes are those of A P
/// @param statistics  receives them; may be null
template <class T, MemorySpace S>
CsrMatrix<T, S> galerkin_product(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                                 const CsrMatrix<T, S>& P, const SpgemmOptions& options = {},
                                 GalerkinStatistics* statistics = nullptr);

}  // namespace amgsolve
