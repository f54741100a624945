#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

/// Refuses a matrix that smoothed aggregation and conjugate gradients are not for: throws InputError where A is not
/// square, not a valid CSR structure, has a NaN or infinite entry, a zero row, a largest entry beyond 2^±900 (in float
/// 2^±96), or is not symmetric (‖A − Aᵀ‖ above 1e−10 ‖A‖ in double, 1e−5 ‖A‖ in float, by a randomised estimate for A
/// with its rows and columns scaled to the same size), each naming the row, counted from 1. Returns what it learned of
/// the rows' sizes. Synchronises.
template <class T, MemorySpace S>
RowMagnitudes check_matrix(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// What of it depends on the values: for new ones in a structure that was checked before.
template <class T, MemorySpace S>
RowMagnitudes check_values(Context<S>& ctx, const CsrMatrix<T, S>& A);

}  // namespace amgsolve
