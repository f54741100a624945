#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// An estimate of ρ(D⁻¹A) for a symmetric A with diagonal D: the largest Ritz value of `steps` Lanczos steps on
/// D^(−1/2) A D^(−1/2), which has the same eigenvalues, from a fixed random vector. A lower bound, within a few percent
/// after ten steps, since the largest eigenvalues are found first. Synchronises. Cost: `steps` products with A.
/// @param diagonal  of A; rows where it is not positive are left out
template <class T, MemorySpace S>
double spectral_radius(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const std::type_identity_t<T>, S> diagonal,
                       int steps);

}  // namespace amgsolve
