#pragma once

#include "spgemm/product.hpp"

namespace amgsolve {

/// C = A B for a B of few columns, 1 to some hundreds: a warp a row keeps an accumulator and a mark for each of a chunk
/// of 512 columns in shared memory, adds the rows of B that A's row refers to, and writes the marked columns in their
/// order by ballots. Several short rows of B are added at a time; lanes that meet in a column take turns in the order
/// of A's row, so every entry is summed in that order. Nothing is sorted, and no space is spent on products: the
/// entries are counted first by the marks alone ("symbolic"), then C is written ("numeric").
///
/// More columns are worked through chunk by chunk, each beginning at the first column not yet written, so that a row is
/// read as many times as it has chunks that are not empty. Rows with so many products that this would take long, from
/// 65536 divided by the chunks of B on, go to multiply_esc_global ("large rows"). Times "analysis" besides. Memory
/// beside C: 24 bytes a row. The columns of a row of B must be unique.
template <class T>
SpgemmProduct<T, Cuda> multiply_thin(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B);

}  // namespace amgsolve
