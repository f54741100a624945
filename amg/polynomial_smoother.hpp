#pragma once

#include "amg/smoother.hpp"

/// Smoothers whose error after a sweep is a polynomial of D⁻¹A. A sweep of degree m costs m products with A, the first
/// of which is free from a zero guess.
namespace amgsolve {

/// Damped Jacobi, x += ω D⁻¹(b − A x) with ω = damping / ρ(D⁻¹A).
template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_jacobi(Context<S>& ctx, const SmootherInput<T, S>& level,
                                            const SmootherOptions& options);

/// x += D⁻¹(b − A x) with D_ii = Σ_j |a_ij| (Baker, Falgout, Kolev, Yang 2011): converges for every symmetric positive
/// definite A, and needs no ρ.
template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_l1_jacobi(Context<S>& ctx, const SmootherInput<T, S>& level,
                                               const SmootherOptions& options);

/// The residual_polynomial() of D⁻¹A with D_ii = Σ_j |a_ij|, whatever A is: a conjugate pair of roots takes two steps,
/// the second with a momentum. Of the degrees above highest_residual_degree that one.
template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_gmres_polynomial(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                      const SmootherOptions& options);

/// The Chebyshev polynomial of D⁻¹A on [lower_fraction ρ, 1.1 ρ] (Adams, Brezina, Hu, Tuminaro 2003).
template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_chebyshev(Context<S>& ctx, const SmootherInput<T, S>& level,
                                               const SmootherOptions& options);

/// The polynomial of D⁻¹A on (0, 1.1 ρ] that optimal_steps() tells (Lottes 2022): no lower end of an interval to
/// choose.
template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_chebyshev_opt_fourth(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                          const SmootherOptions& options);

/// Of any of them: D⁻¹.
inline double polynomial_smoother_bytes(double rows, Index, double value_bytes) { return rows * value_bytes; }

}  // namespace amgsolve
