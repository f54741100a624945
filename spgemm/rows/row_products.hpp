#pragma once

#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// products_i = Σ_{k ∈ A_i} nnz(B_k), the products that row i of A B sums.
template <class T>
void count_row_products(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                        Span<Offset, Host> products);
template <class T>
void count_row_products(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                        Span<Offset, Cuda> products);

}  // namespace amgsolve
