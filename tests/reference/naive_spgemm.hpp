#pragma once

#include "spmv/csr_matrix.hpp"

namespace amgsolve::reference {

/// C = A B by rows, one std::map a row: columns ascending, each entry summed in the order of A's row, entries that
/// cancel kept. Sequential.
template <class T>
CsrMatrix<T, Host> naive_spgemm(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B);

/// |A|, entry by entry.
template <class T>
CsrMatrix<T, Host> absolute(Context<Host>& ctx, const CsrMatrix<T, Host>& A);

template <class T>
Offset longest_row(const CsrMatrix<T, Host>& A);

/// Bound on the rounding error of every entry of A B computed in T: γ_n (|A| |B|)_ij with n the longest row of A.
template <class T>
double product_error_bound(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B);

}  // namespace amgsolve::reference
