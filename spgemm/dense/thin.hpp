#pragma once

#include "spgemm/options.hpp"

namespace amgsolve {

/// C = A B for a B of few columns, 1 to some thousands, by dense accumulators and marks in shared memory for a chunk of
/// C's columns. The rows of B that A's row refers to are added, and the marked columns written in their order by
/// ballots. Nothing is sorted, and no space is spent on products: the entries are counted first by the marks alone
/// ("symbolic"), then C is written ("numeric"). Where rows of B are short a warp has a row of C and adds several rows
/// of B at a time; lanes that meet in a column take turns in the order of A's row. Where they are long a block has a
/// row of C and adds one row of B at a time. So every entry is summed in the order of A's row.
///
/// More columns than a chunk has are worked through chunk by chunk, each beginning at the first column not yet written,
/// so that a row is read as many times as it has chunks that are not empty. Rows with too many products for that
/// go to multiply_esc_global ("large rows"). Times "analysis" besides. Memory beside C: 24 bytes a row. The
/// columns of a row of B must be unique.
template <class T>
SpgemmProduct<T, Cuda> multiply_thin(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                     const SpgemmOptions& options);

/// Whether rows of B are long enough for a block of threads to add one at a time, and C narrow enough for a single
/// chunk: what suits rows of thousands of products.
template <class T>
bool can_accumulate_by_blocks(const Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& B);

}  // namespace amgsolve
