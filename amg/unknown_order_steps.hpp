#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

/// The steps of order_by_node() of a matrix.
namespace amgsolve::detail {

/// counts_i = the entries of row i by node.
template <class T, MemorySpace S>
void count_rows_by_node(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, Span<Offset, S> counts);

/// Fills the rows, whose offsets are known, in the order that their entries have by field.
template <class T, MemorySpace S>
void fill_rows_by_node(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, CsrMatrix<T, S>& ordered);

}  // namespace amgsolve::detail
