#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "spmv/csr_matrix.hpp"

/// Host matrices for tests: built entry by entry, at random, and compared.
namespace amgsolve::reference {

struct Entry {
  Index row;
  Index col;
  double value;
};

/// Of matrices: empty in each way, tiny, wide, tall, and large enough for several threads.
struct Shape {
  Index rows;
  Index cols;
};
inline constexpr Shape shapes[] = {{0, 0}, {0, 4}, {4, 0}, {1, 1}, {50, 3000}, {3000, 50}, {8000, 8000}};

/// CSR from entries in any order; duplicates stay, in the order given. The naive counterpart of coo_to_csr.
template <class T>
CsrMatrix<T, Host> matrix_from_entries(Context<Host>& ctx, Index rows, Index cols, std::vector<Entry> entries);

/// A random rectangular matrix with values in [−1, 1] and very uneven rows: about one row in eight is empty, one in
/// sixteen has `longest_row` entries (or all columns), the others have 1 to 9. The same for the same seed.
template <class T>
CsrMatrix<T, Host> random_matrix(Context<Host>& ctx, Index rows, Index cols, Index longest_row, unsigned seed);

/// Rows of `length` entries at scattered columns, and of `longest` where their number is a multiple of `period`. No row
/// has more entries than columns, whose number is not a multiple of 7919.
template <class T>
CsrMatrix<T, Host> scattered_matrix(Context<Host>& ctx, Index rows, Index cols, Index length, Index period = 0,
                                    Index longest = 0);

/// A power-law matrix as of a web graph: one row of all columns, one column in every hundredth row, few entries else.
template <class T>
CsrMatrix<T, Host> power_law_matrix(Context<Host>& ctx, Index n);

/// The seven-point matrix of a box of n³ unknowns with couplings 1, 0.6 and 0.25, of which the one side is larger than
/// the other by that share: symmetric but for rounding, with couplings at the threshold that only one row calls strong.
template <class T>
CsrMatrix<T, Host> box_with_ties(Context<Host>& ctx, Index n, double rounding);

/// A random symmetric positive definite matrix: about `entries_per_row` off-diagonal entries in [−1, 1] and a diagonal
/// that exceeds the sum of their magnitudes by one.
template <class T>
CsrMatrix<T, Host> random_spd_matrix(Context<Host>& ctx, Index rows, Index entries_per_row, unsigned seed);

/// diag(s) A diag(s), s_i = scale(i): A in other units of its unknowns.
template <class Scale>
CsrMatrix<double, Host> in_units(CsrMatrix<double, Host> A, const Scale& scale) {
  for (Index i = 0; i < A.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < static_cast<std::size_t>(A.row_offsets[row + 1]);
         ++k) {
      A.values[k] *= scale(i) * scale(A.col_indices[k]);
    }
  }
  return A;
}

/// A with rows and columns numbered by field, unknown c of node I being c n + I of n nodes, from A by node, b I + c.
template <class T>
CsrMatrix<T, Host> by_field(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index b);

/// The same of the rows of vectors that lie row by row.
template <class T>
std::vector<T> by_field(const std::vector<T>& x, Index columns, Index b);

/// n random values in [−1, 1].
template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed);

/// A with such values.
template <class T>
CsrMatrix<T, Host> with_new_values(Context<Host>& ctx, const CsrMatrix<T, Host>& A, unsigned seed);

/// Whether A and B have the same sizes, pattern, order of entries and values (0 and −0 count as the same, NaN as
/// different). Says where they differ first.
template <class T>
::testing::AssertionResult identical(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B);

/// Whether A and B have the same pattern and every |a_k − b_k| ≤ bound.
template <class T>
::testing::AssertionResult close(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B, double bound);

/// A with other values: what change(row, column, value) makes of them; no entry where that is zero.
template <class T, class Change>
CsrMatrix<T, Host> changed_entries(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const Change& change) {
  std::vector<Entry> entries;
  for (Index i = 0; i < A.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < static_cast<std::size_t>(A.row_offsets[row + 1]);
         ++k) {
      if (const double value = change(i, A.col_indices[k], static_cast<double>(A.values[k])); value != 0.0) {
        entries.push_back({i, A.col_indices[k], value});
      }
    }
  }
  return matrix_from_entries<T>(ctx, A.rows, A.cols, std::move(entries));
}

}  // namespace amgsolve::reference
