#pragma once

#include "spgemm/spgemm.hpp"

namespace amgsolve {

/// The Galerkin product A_c = R (A P), with R = Pᵀ as the caller already has it (formed once, kept for the
/// restriction): A P first, which is shorter than R A. Times "multiply AP" and "multiply R(AP)" in ctx.profile().
template <class T, MemorySpace S>
CsrMatrix<T, S> galerkin_product(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                                 const CsrMatrix<T, S>& P, const SpgemmOptions& options = {});

}  // namespace amgsolve
