#pragma once

#include "spgemm/product.hpp"

namespace amgsolve {

/// C = A B row by row (Gustavson 1978), each entry summed in the order of A's row. `dense`: with an accumulator of
/// B.cols entries for each thread; `hash`: with a hash table of the row's size; `automatic`: dense up to
/// dense_cols_limit columns, else hash, and rows of few products sorted several at a time. Times "analysis", "rows",
/// "concatenation". Memory beside C: C once more, and the accumulators.
template <class T>
SpgemmProduct<T, Host> multiply_gustavson(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                          const SpgemmOptions& options);

}  // namespace amgsolve
