#pragma once

#include "amg/options.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// ‖A Y‖ relative to ‖|A| |Y|‖ for a column Y that counts as a null vector: what it leaves of its part in any
/// right-hand side is less than tolerances ask for.
template <class T>
inline constexpr double most_defect = sizeof(T) == sizeof(double) ? 1e-10 : 1e-4;

/// Vectors Y that a singular A, which need not be symmetric, takes to zero: Y = W − Z with A Z = A W, which flexible
/// GMRES solves with a hierarchy of A. Empty (rows = 0) where that does not converge, or to Z = W: where
/// ‖A Y‖ > most_defect ‖|A| |Y|‖, or Y is less than 1e−3 of W. Cost: a setup and a solve, and their memory for as long.
/// @param W    near-nullspace of A and its transpose, from which coarse levels are made, too
/// @param amg  options of the hierarchy of a matrix that is not symmetric
template <class T, MemorySpace S>
MultiVector<T, S> find_null_vectors(Context<S>& ctx, CsrMatrix<T, S> A, MultiVectorView<const T, S> W,
                                    const AmgOptions& amg);

}  // namespace amgsolve
