#pragma once

#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// What a product A B is likely to be, from all row lengths and a sample of the rows of C: some 30 µs on an H200 for
/// a million rows, where counting all products takes a tenth of forming them.
struct Survey {
  Index longest_a = 0;  ///< entries of the longest row of A
  Index longest_b = 0;
  Index rows = 0;               ///< of C
  Index sampled_rows = 0;       ///< of those, evenly spread with a pseudo-random shift; all of a small C
  Index uncounted_rows = 0;     ///< of those, with more than survey_limit entries; missing in the numbers below
  Index longest_sampled = 0;    ///< entries of C's longest row
  Offset sampled_products = 0;  ///< a_ik b_kj
  Offset sampled_entries = 0;   ///< c_ij
  Offset sampled_squares = 0;   ///< Σ of the squares of the rows' entries

  double products_per_row() const;
  double entries_per_row() const;

  /// Entries of C: four and a half standard errors above the estimate; the number itself where all rows were sampled.
  Offset entries_bound() const;
};

/// Most entries of a row of C that the survey counts.
inline constexpr Index survey_limit = 512;

/// Synchronises. O(rows of A and B) and the products of 512 to 4096 rows, the fewer the more products they have.
template <class T>
Survey survey_product(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B);

}  // namespace amgsolve
