#pragma once

#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Rows of C = A B with too many products for the algorithm that forms the others: formed by sorting all their products
/// in global memory (multiply_esc_global), apart from C until that has its row offsets. Times "large rows".
template <class T>
class LongRows {
 public:
  /// Forms the rows and writes their lengths to lengths_i. Nothing where `rows` is empty. The list outlives this.
  /// @param slice_products  of SpgemmOptions, for an algorithm that goes by it
  LongRows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Span<const Index, Cuda> rows,
           Span<Offset, Cuda> lengths, Offset slice_products = 0);

  /// Writes the rows into C, which has its row offsets.
  void write(Context<Cuda>& ctx, CsrMatrix<T, Cuda>& C) const;

 private:
  Span<const Index, Cuda> rows_;
  CsrMatrix<T, Cuda> product_;
};

}  // namespace amgsolve
