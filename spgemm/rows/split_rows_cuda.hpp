#pragma once

#include "spgemm/rows/row_bins_cuda.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// The rows of a product that an algorithm forms, and those that it leaves to multiply_esc_global.
struct SplitRows {
  Offset products = 0;  ///< of all rows
  Span<const Index, Cuda> short_rows;
  Span<const Index, Cuda> long_rows;
};

/// Rows of A B with at most `limit` products, and those with more; rows without products are in neither. On return
/// sizes_i are the products of row i. The lists lie in `rows`. Synchronises. Times "analysis".
template <class T>
SplitRows split_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Offset limit,
                     const RowBins& rows, Span<Offset, Cuda> sizes);

}  // namespace amgsolve
