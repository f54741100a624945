#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/row_sample.hpp"

/// The step of find_block_size().
namespace amgsolve::detail {

/// The blocks and the entries of A in the rows of each node of a choice.
template <class T, MemorySpace S>
void count_blocks_of_sample(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, const RowStrata& nodes,
                            Span<Index, S> blocks, Span<Index, S> entries);

}  // namespace amgsolve::detail
