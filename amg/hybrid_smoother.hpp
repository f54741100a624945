#pragma once

#include <concepts>

#include "amg/smoother.hpp"

namespace amgsolve {

/// Rows of a block, which are relaxed one after the other. Their number decides what comes out, so it is the same for
/// any number of threads. On two cores 8 to 128 rows took 21 to 20 iterations for Poisson's equation on 256² points,
/// 1024 take 16, as many as by colours. On a device a warp has a block, and there have to be thousands of warps.
template <MemorySpace S>
inline constexpr Index hybrid_block_rows = std::same_as<S, Host> ? 1024 : 32;

/// Gauss–Seidel within blocks of consecutive rows and Jacobi between them, with what a row has of |A| outside of its
/// block added to its diagonal (l1 hybrid Gauss-Seidel: Baker, Falgout, Kolev, Yang 2011): upwards before the coarse
/// correction and downwards after it, so that the cycle is symmetric. Converges for every symmetric positive definite
/// A, needs no ρ and no colours. A sweep costs a product with A, in one launch. Rows with a diagonal entry that is not
/// positive stay as they are.
template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_hybrid_gauss_seidel(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                         const SmootherOptions& options);

/// What stands for the inverse of the diagonal.
inline double hybrid_smoother_bytes(double rows, Index, double value_bytes) { return rows * value_bytes; }

}  // namespace amgsolve
