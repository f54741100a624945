#pragma once

#include "spmv/csr_matrix.hpp"
#include "spmv/row_sample.hpp"

namespace amgsolve {

/// What the rows of a product C = A B are likely to be, from all row lengths and a sample of the rows of C: some 30 µs
/// on an H200 for a million rows, where counting all products takes a tenth of forming them.
struct RowSizeEstimate {
  Index longest_a = 0;  ///< entries of the longest row of A
  Index longest_b = 0;
  RowSample sample{};        ///< of C: rows evenly spread with a pseudo-random shift; all of a small C
  Offset products = 0;       ///< a_ik b_kj of the sampled rows
  Index uncounted_rows = 0;  ///< rows tried with more than most_counted_entries, which the sample lacks

  double products_per_row() const;
};

/// Most entries of a row of C that are counted.
inline constexpr Index most_counted_entries = 512;

/// Synchronises. O(rows of A and B) and the products of 512 to 4096 rows, the fewer the more products they have.
template <class T>
RowSizeEstimate estimate_row_sizes(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B);

}  // namespace amgsolve
