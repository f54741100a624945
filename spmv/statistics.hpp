#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

/// What a solver must know of a matrix before it trusts it.
namespace amgsolve {

/// Lengths of the rows, counted in stored entries.
struct RowStatistics {
  Index shortest = 0;
  Index longest = 0;
  double mean = 0.0;
  double deviation = 0.0;  ///< standard deviation
  Offset empty = 0;        ///< rows without entries
};

template <class T>
RowStatistics row_statistics(Context<Host>& ctx, const CsrMatrix<T, Host>& A);

/// diagonal_i = a_ii; 0 where row i stores no diagonal entry. A is square, `diagonal` has A.rows entries.
template <class T>
void extract_diagonal(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<T, Host> diagonal);

/// Throws InputError naming the row where the arrays are no valid CSR matrix: row_offsets not starting at 0 or
/// decreasing or not ending at nnz, a column outside the matrix, columns not ascending or repeated within a row.
template <class T>
void check_structure(Context<Host>& ctx, const CsrMatrix<T, Host>& A);

/// Row and column of one entry; −1 where there is none.
struct EntryPosition {
  Index row = -1;
  Index col = -1;
};

/// The first entry (in row order) that is NaN or infinite.
template <class T>
EntryPosition find_non_finite(Context<Host>& ctx, const CsrMatrix<T, Host>& A);

/// The first row that has no entry other than zeros; −1 where there is none.
template <class T>
Index find_zero_row(Context<Host>& ctx, const CsrMatrix<T, Host>& A);

/// The first entry with |a_ij − a_ji| > tolerance · max(|a_ij|, |a_ji|); none for a symmetric matrix. Searches the
/// mirror of each entry: O(nnz log(nnz of a row)). A must be square.
template <class T>
EntryPosition find_asymmetry(Context<Host>& ctx, const CsrMatrix<T, Host>& A, T tolerance);

}  // namespace amgsolve
