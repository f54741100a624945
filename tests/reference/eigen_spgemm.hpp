#pragma once

#include "spmv/csr_matrix.hpp"

namespace amgsolve::reference {

/// C = A B computed by Eigen, which keeps entries that cancel.
template <class T>
CsrMatrix<T, Host> eigen_spgemm(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B);

}  // namespace amgsolve::reference
