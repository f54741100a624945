#pragma once

#include "spgemm/options.hpp"

/// C = A B on the host, row by row (Gustavson 1978). Times "analysis", "rows", "concatenation". Memory beside C: C once
/// more, and the accumulators, one a thread, of 20 + sizeof(T) bytes and a slot for each entry of the longest row of C,
/// which has at most its products, or B.cols. Where rows far longer than the others are fewer than the threads, each
/// has an accumulator of its own, and those of the threads are for rows of some ten thousand entries.
namespace amgsolve {

/// Slots for all columns of B: 4 · B.cols bytes an accumulator.
template <class T>
SpgemmProduct<T, Host> multiply_dense(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                      const SpgemmOptions& options);

/// Slots in a hash table of the row's size: 8 to 16 bytes an entry.
template <class T>
SpgemmProduct<T, Host> multiply_hash(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                     const SpgemmOptions& options);

/// The first up to dense_cols_limit columns, else the second; rows of few products are sorted several at a time.
template <class T>
SpgemmProduct<T, Host> multiply_auto(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                     const SpgemmOptions& options);

}  // namespace amgsolve
