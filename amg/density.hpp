#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// About nnz(Pᵀ A P) / nnz(A), from at most 256 rows of it spread evenly: a few per cent off where rows are alike.
/// Counts the columns of these rows of the product, which is not formed, nor is Pᵀ. Synchronises.
template <class T, MemorySpace S>
double estimate_density(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P);

/// About nnz(A P), from at most 1024 rows of A spread evenly. Synchronises.
template <class T, MemorySpace S>
double estimate_product_entries(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P);

}  // namespace amgsolve
