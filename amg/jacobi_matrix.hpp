#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// I − ω D⁻¹ A, the matrix of a step of damped Jacobi, over A's own pattern: it borrows A's row offsets and columns. In
/// rows where d_i is not positive it is I as far as the row has a diagonal entry. O(nnz).
/// @param diagonal   D, A.rows entries
/// @param damping    ω
/// @param first_own  the column of the first row's diagonal entry, where A is some rows of a matrix
template <class T>
CsrMatrix<T, Host> jacobi_matrix(Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                                 Span<const std::type_identity_t<T>, Host> diagonal, std::type_identity_t<T> damping,
                                 Index first_own = 0);
template <class T>
CsrMatrix<T, Cuda> jacobi_matrix(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                 Span<const std::type_identity_t<T>, Cuda> diagonal, std::type_identity_t<T> damping,
                                 Index first_own = 0);

}  // namespace amgsolve
