#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// About nnz(Pᵀ A P) / nnz(A), from at most 256 / k of its rows spread evenly, since each takes k² as long: a few per
/// cent off where rows are alike, a tenth in networks of six unknowns a node. Counts the columns of these rows of the
/// product, which is not formed, nor is Pᵀ. Synchronises.
/// @param candidates  k, columns of P for each aggregate
template <class T, MemorySpace S>
double estimate_density(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P, Index candidates);

/// The same where it may be above a limit; 0 where the coarse matrix is not though it were full.
template <class T, MemorySpace S>
double density_above(Context<S>& ctx, double limit, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P,
                     Index candidates);

/// About nnz(A P), from at most 1024 rows of A spread evenly. Synchronises.
template <class T, MemorySpace S>
double estimate_product_entries(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P);

}  // namespace amgsolve
