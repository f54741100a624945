#pragma once

#include <functional>

#include "spmv/csr_matrix.hpp"

namespace amgsolve::bench {

/// Forms C = A B on the context's threads as AMGCL's own backend does, and frees it: each thread keeps a marker for
/// every column of B, counts the entries of its rows, fills them in a second pass and sorts each row by insertion
/// (Gustavson 1978). Written anew after the description of that method, with 32-bit columns.
template <class T>
std::function<void()> row_marker_spgemm(const Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                                        const CsrMatrix<T, Host>& B);

}  // namespace amgsolve::bench
