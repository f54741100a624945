#pragma once

#include "spgemm/options.hpp"

/// C = A B on the host, row by row (Gustavson 1978). Times "analysis", "rows", "concatenation". Memory beside C: C once
/// more, and the accumulators of all threads.
namespace amgsolve {

/// An accumulator of B.cols entries.
template <class T>
SpgemmProduct<T, Host> multiply_dense(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                      const SpgemmOptions& options);

/// A hash table of the row's size.
template <class T>
SpgemmProduct<T, Host> multiply_hash(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                     const SpgemmOptions& options);

/// The first up to dense_cols_limit columns, else the second; rows of few products are sorted several at a time.
template <class T>
SpgemmProduct<T, Host> multiply_auto(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                     const SpgemmOptions& options);

}  // namespace amgsolve
