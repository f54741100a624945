#pragma once

#include "spgemm/options.hpp"

namespace amgsolve {

/// C = A B by expansion, sorting and contraction on chip (Dalton, Olson, Bell, Optimizing sparse matrix-matrix
/// multiplication for the GPU, 2015). Rows are grouped by the products they sum, with the limits of `options.bins`:
///
/// | products of a row | formed by | sorted in |
/// |---|---|---|
/// | ≤ bins[0] ≤ 32 | four lanes | registers: a bitonic network of 8 to 32 keys |
/// | ≤ bins[1] ≤ 1024 | eight lanes up to 128, else a warp | registers: a network of 32 to 1024 keys |
/// | ≤ bins[2] ≤ 6144 | a block | shared memory: radix sort of the bits in which the row's columns differ |
/// | more | the device | global memory: multiply_esc_global |
///
/// One kernel a group expands (lanes share the rows of B that A's row refers to), sorts and contracts. A key is the
/// column with the product's number below it, in 32 bits where they fit, so values stay where they were expanded, the
/// sort is stable, and every entry is summed in the order of A's row. Where 32 bits do not hold a column below 2²²
/// and the number, warps take rows of up to 512 products and leave the longer ones to blocks; past 2¹⁹ columns blocks
/// take up to 4096 in double on a GPU with 100 kB of shared memory a multiprocessor.
///
/// One pass: rows are formed in memory for all products, then moved together ("reorder"), which costs two copies of C;
/// counting first would expand and sort everything twice. Where nothing was contracted, that memory becomes C. Where
/// half of the free memory does not hold the products (or options.slice_products says so), slices of A's rows are
/// formed one after the other and stacked. The host waits twice, for the groups and the number of C's entries,
/// and besides for large rows. Rows keep their order where all belong to one group.
///
/// Times "analysis", "lanes", "warps", "blocks", "large rows", "reorder", "concatenation". Memory beside C:
/// 4 + sizeof(T) bytes a product, 32 a row. Throws std::invalid_argument for limits that do not ascend or are past
/// those above.
template <class T>
SpgemmProduct<T, Cuda> multiply_esc(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                    const SpgemmOptions& options);

}  // namespace amgsolve
