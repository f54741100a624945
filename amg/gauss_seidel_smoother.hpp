#pragma once

#include "amg/smoother.hpp"

namespace amgsolve {

/// Gauss–Seidel over colours (multicolour Gauss–Seidel: Adams, Ortega 1982): x_i += (b_i − (A x)_i) / a_ii for the rows
/// of one colour after those of another, upwards before the coarse correction and downwards after it, so that the cycle
/// is symmetric. Converges for every symmetric positive definite A and needs no ρ. A sweep costs a product with A, and
/// on a device a launch for each colour. Rows with a diagonal entry that is not positive stay as they are.
template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_gauss_seidel(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                  const SmootherOptions& options);

/// The inverse of the diagonal, and the rows by colour.
inline double gauss_seidel_bytes(double rows, Index, double value_bytes) {
  return rows * (value_bytes + sizeof(Index));
}

}  // namespace amgsolve
