#pragma once

#include "amg/smoother.hpp"

/// Smoothers by D_B, the diagonal blocks of the unknowns of each node, which invert_diagonal_blocks() inverts. A step
/// costs a product with A, which is free from a zero guess, and one with the blocks. For a matrix that is not symmetric
/// both are options.degree steps x += D_B⁻¹ (b − A x) with Σ |a_ij| outside of the block added to its diagonal.
namespace amgsolve {

/// Damped block Jacobi, x += ω D_B⁻¹ (b − A x) with ω = damping / ρ(D_B⁻¹A).
template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_block_jacobi(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                  const SmootherOptions& options);

/// The polynomial of D_B⁻¹A on (0, 1.1 ρ] that optimal_steps() tells (Lottes 2022).
template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_block_chebyshev(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                     const SmootherOptions& options);

/// Of both: D_B⁻¹.
inline double block_smoother_bytes(double rows, Index block_size, double value_bytes) {
  return rows * block_size * value_bytes;
}

}  // namespace amgsolve
