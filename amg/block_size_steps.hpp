#pragma once

#include "core/context.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/row_sample.hpp"

/// The step of find_block_size().
namespace amgsolve::detail {

/// The entries that a strip of rows has in each node of a choice, and the blocks with one, but none of nodes of which
/// the strip has not all rows. Rows are sorted.
/// @param window  of the strip's columns, whose own rows are the strip's
template <class T, MemorySpace S>
void count_blocks_of_sample(Context<S>& ctx, const CsrMatrix<T, S>& A, const WindowColumns& window, Index block_size,
                            const RowStrata& nodes, Span<Index, S> blocks, Span<Index, S> entries);

}  // namespace amgsolve::detail
