#pragma once

#include <vector>

#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// A ratio of entries of a product, as a whole and row by row.
struct RowRatio {
  double whole = 0.0;  ///< of the totals; 0 where both are
  double min = 0.0;    ///< of a row; rows whose denominator is 0 do not count
  double max = 0.0;
  double mean = 0.0;       ///< of the rows
  double deviation = 0.0;  ///< standard deviation of the rows
};

/// What decides the cost of C = A B. Row i has F_i = Σ_{k ∈ A_i} nnz(B_k) products a_ik b_kj; Ĉ is the matrix of all of
/// them, before those of the same column are summed (Dalton, Olson, Bell 2015).
struct SpgemmStatistics {
  Index rows = 0;            ///< of A and C
  Offset a_entries = 0;      ///< nnz(A)
  Offset c_entries = 0;      ///< nnz(C)
  Offset products = 0;       ///< nnz(Ĉ) = Σ F_i
  Offset most_products = 0;  ///< max F_i
  /// Rows by powers of two: entry 0 counts F_i = 0, entry k counts 2^(k−1) ≤ F_i < 2^k; ends with the longest row's.
  std::vector<Offset> histogram{};
  RowRatio expansion{};    ///< nnz(Ĉ) / nnz(A)
  RowRatio contraction{};  ///< nnz(Ĉ) / nnz(C)
};

/// The statistics of the product C = A B, which has been formed. The same bits for any number of threads and on a
/// device. Synchronises; O(nnz(A)), with 8 bytes of scratch a row. Throws std::invalid_argument naming both sizes where
/// those of A, B and C do not match.
template <class T, MemorySpace S>
SpgemmStatistics spgemm_statistics(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                                   const CsrMatrix<T, S>& C);

}  // namespace amgsolve
