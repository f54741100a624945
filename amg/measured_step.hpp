#pragma once

#include <vector>

#include "amg/interpolation.hpp"
#include "amg/memory_forecast.hpp"
#include "amg/solver.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// What the rows of A tell of how the host will store it: is_grid, has_alike_rows and different_slices of its system.
template <class T>
void measure_patterns(Context<Host>& ctx, const CsrMatrix<T, Host>& A, SystemSize& system);

/// The sizes of a step whose P is there, by some rows of A P and Pᵀ A P; without bytes. Synchronises.
/// @param candidates  see estimate_density()
template <class T, MemorySpace S>
StepSizes measure_products(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P, Index candidates);

/// The sizes of a setup's first step, but for what A comes to as stored: aggregates and P are those of a hierarchy in
/// T, and let go again; the entries of A P and Pᵀ A P are estimated from some of their rows. Synchronises.
/// @param near_nullspace  candidates of A
/// @param options         with those that depend on A; see options_for()
/// @param value_bytes     of the hierarchy
/// Throws what Hierarchy throws.
template <class T, MemorySpace S>
StepSizes measure_step(Context<S>& ctx, const CsrMatrix<T, S>& A,
                       std::type_identity_t<MultiVectorView<const T, S>> near_nullspace, const AmgOptions& options,
                       double value_bytes);

/// The sizes of all steps of a solver's setup.
/// @param storage      of the levels' matrices
/// @param value_bytes  of the hierarchy
std::vector<StepSizes> measure_steps(Context<Host>& ctx, const AmgSolver<double, Host>& solver, Storage storage,
                                     double value_bytes);

}  // namespace amgsolve
