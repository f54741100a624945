#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "core/context.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

inline constexpr int highest_residual_degree = 10;

/// The polynomial p(z) = Π (1 − μ_i z) of that degree for which ‖p(S A) v‖₂ is the smallest, with S = diag(scaling) and
/// a fixed random v: what GMRES makes of v (Nachtigal, Reichel, Trefethen, A hybrid GMRES algorithm for nonsymmetric
/// linear systems, 1992). As v has about as much of every eigenvector, p is small on most of the spectrum, wherever in
/// the plane that lies. Returned are the μ_i, which are 1 / p's roots: those of a conjugate pair behind each other, and
/// those of large roots first, so that partial products stay small. Less than `degree` of them where v and its products
/// span less; none for A = 0.
/// Cost: `degree` products with A, and degree² / 2 inner products and updates of a vector; degree + 2 vectors of
/// scratch. Synchronises degree² / 2 times. Collective where ranks share A's rows.
/// @param scaling    of the rank's rows
/// @param degree     1 to highest_residual_degree; throws std::invalid_argument for another one
/// @param first_row  of all ranks' rows, which A's first is
template <class T, MemorySpace S>
std::vector<std::complex<double>> residual_polynomial(Context<S>& ctx, const Operator<T, S>& A,
                                                      std::type_identity_t<Span<const T, S>> scaling, int degree,
                                                      std::int64_t first_row = 0);

}  // namespace amgsolve
