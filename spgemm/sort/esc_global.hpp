#pragma once

#include "spgemm/options.hpp"

namespace amgsolve {

/// C = A B by expansion, sorting and contraction in global memory (Bell, Dalton, Olson, Exposing fine-grained
/// parallelism in algebraic multigrid methods, 2012): all products of a slice of A's rows are written out, sorted by
/// row and column by a stable radix sort of just the bits that occur, and neighbours of equal row and column summed in
/// the order of A's row. Needs no assumption on the rows: some billion products in one row of C, rows of A or B that
/// are unsorted or have duplicates. Times "analysis", "expansion", "sorting", "contraction", "concatenation". Cost:
/// some 160 bytes of memory traffic a product; memory: 2 (8 + sizeof(T)) bytes a product of a slice, 8 an entry of A,
/// and C twice where there are several slices.
/// A slice has at most options.slice_products products, unless a single row has more; 0: what half of the free memory
/// holds. Throws DeviceError where a row has 2³¹ products or more and a CUDA older than 12.9 has built this.
template <class T>
SpgemmProduct<T, Cuda> multiply_esc_global(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                           const SpgemmOptions& options);

}  // namespace amgsolve
