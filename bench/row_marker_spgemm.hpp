#pragma once

#include <functional>

#include "spmv/csr_matrix.hpp"

namespace amgsolve::bench {

/// Forms C = A B on the context's threads as AMGCL's own backend does on up to 16 of them, and frees it: each thread
/// keeps a marker for every column of B, counts the entries of its rows and fills them in a second pass (Gustavson
/// 1978). It then sorts each row by insertion, as our products are sorted; AMGCL does so with coarse matrices alone,
/// and leaves A P as it comes. Written anew after the description of that method, with 32-bit columns.
template <class T>
std::function<void()> row_marker_spgemm(const Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                                        const CsrMatrix<T, Host>& B);

}  // namespace amgsolve::bench
