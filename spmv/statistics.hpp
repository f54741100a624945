#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/operator.hpp"

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

template <class T, MemorySpace S>
RowStatistics row_statistics(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// diagonal_i = a_ii; 0 where row i stores no diagonal entry. A is square, `diagonal` has A.rows entries.
template <class T, MemorySpace S>
void extract_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<T, S>> diagonal);

/// diagonal_i = the entry of row i in column first + i; 0 where there is none: for rows of a matrix of which others are
/// elsewhere. Throws std::invalid_argument where the rows need more columns than A has.
template <class T, MemorySpace S>
void extract_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, Index first,
                      std::type_identity_t<Span<T, S>> diagonal);

/// The same by `stored`, which may be empty, where that is A and light, on a device: A's entries are not read then. The
/// host finds a row's in CSR at once.
template <class T, MemorySpace S>
void extract_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, const Operator<T, S>& stored, Index first,
                      std::type_identity_t<Span<T, S>> diagonal) {
  if (std::same_as<S, Cuda> && stored.is_light()) {
    stored.extract_diagonal(ctx, diagonal);
  } else {
    extract_diagonal<T>(ctx, A, first, diagonal);
  }
}

/// The same in memory of its own.
template <class T, MemorySpace S>
Buffer<T, S> diagonal_of(Context<S>& ctx, const CsrMatrix<T, S>& A, Index first = 0,
                         const Operator<T, S>& stored = {}) {
  Buffer<T, S> diagonal(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, stored, first, diagonal);
  return diagonal;
}

/// Throws InputError naming the first row where the arrays are no valid CSR matrix: array sizes that do not match,
/// row_offsets not starting at 0 or decreasing or not ending at nnz, a column outside the matrix, columns not ascending
/// or repeated within a row.
template <class T, MemorySpace S>
void check_structure(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// What is wrong with the row offsets, as check_structure() says it; empty where they are those of rows with so many
/// entries. Synchronises.
/// @param row_offsets  rows + 1
template <MemorySpace S>
std::string find_offset_problem(Context<S>& ctx, std::type_identity_t<Span<const Offset, S>> row_offsets,
                                Offset entries);

/// What is wrong with the columns of the first row in which something is, as check_structure() says it: a column
/// outside the matrix, or not behind the one before it. Empty where all rows are in order. The row offsets must be
/// valid. Synchronises.
template <class T, MemorySpace S>
std::string find_column_problem(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// A hash of where A has entries, equal for equal patterns and, but for one pair in 2⁶⁴, different for different ones.
/// Takes any arrays of the right sizes, also of an invalid matrix. The same on host and device. Synchronises; one pass
/// over row offsets and columns.
template <class T, MemorySpace S>
std::uint64_t pattern_hash(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// Row and column of one entry; −1 where there is none.
struct EntryPosition {
  Index row = -1;
  Index col = -1;
};

/// The first entry (in row order) that is NaN or infinite.
template <class T, MemorySpace S>
EntryPosition find_non_finite(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// The first row of X with a value that is NaN or infinite; −1 where there is none.
template <class T, MemorySpace S>
Index find_non_finite_row(Context<S>& ctx, MultiVectorView<const T, S> X);

/// The first row that has no entry other than zeros; −1 where there is none.
template <class T, MemorySpace S>
Index find_zero_row(Context<S>& ctx, const CsrMatrix<T, S>& A);

/// The magnitudes m_i = max_j |a_ij| of the rows.
struct RowMagnitudes {
  double smallest = 0.0;
  double largest = 0.0;  ///< infinite where an entry is NaN or infinite
};

/// scales_i = 1 / √m_i, 0 for a zero row, and the range of the magnitudes. Scaled from both sides a matrix that is
/// positive definite has entries of at most 1, however its rows differ in size. One pass. Synchronises.
template <class T, MemorySpace S>
RowMagnitudes scale_by_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<T, S>> scales);

/// The first entry with |a_ij − a_ji| > tolerance √(m_i m_j), by scales_i = 1 / √m_i; none for a symmetric matrix.
/// Searches the mirror of each entry: O(nnz log(nnz of a row)). A must be square, and no row of it zero: entries whose
/// mirrors are in a zero row, whose scale is 0, are not seen.
template <class T, MemorySpace S>
EntryPosition find_asymmetry(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> scales,
                             T tolerance);

/// An estimate of ‖S(A − Aᵀ)S‖_F / ‖SAS‖_F with S = diag(scales), at the cost of one product with two columns:
/// |xᵀ(SAS y) − yᵀ(SAS x)| for fixed x and y of independent pseudorandom entries of mean 0 and variance 1, over the
/// root of the mean of ‖SAS x‖² and ‖SAS y‖², whose expectation is ‖SAS‖_F². With the scales of scale_by_rows() no row
/// hides behind a larger one. 0 for a zero matrix, NaN where numbers overflow, as they cannot in a symmetric matrix. A
/// must be square, and no row of it zero, as for find_asymmetry().
///
/// With A scaled, the expectation of the numerator's square is ‖A − Aᵀ‖_F², since xᵀ(A − Aᵀ)y = Σ_{i<j} (a_ij − a_ji)
/// (x_i y_j − x_j y_i) with uncorrelated terms of variance 2 (a_ij − a_ji)². It falls below a fraction t of that norm
/// with a probability of about 0.8 t (0 only by coincidence): use find_asymmetry() to name an entry or to be certain.
///
/// For a symmetric A only rounding is left. The error δ_i of (A y)_i is at most √3 L ε Σ_j |a_ij| ≤ √3 L^(3/2) ε ‖a_i‖
/// for rows of at most L entries, and xᵀδ has variance ‖δ‖², so that the two products leave a deviation of at most
/// √6 L^(3/2) ε; in practice, with errors that cancel, some ε. A threshold of 16 L^(3/2) ε never refuses a symmetric
/// matrix; one entry that has no mirror among nnz of its size gives about nnz^(-1/2), far more.
template <class T, MemorySpace S>
double symmetry_defect(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> scales);

/// The same of a matrix whose rows ranks share. Collective.
/// @param scales     of the rank's rows
/// @param first_row  the first of them
template <class T, MemorySpace S>
double symmetry_defect(Context<S>& ctx, const Operator<T, S>& A, std::type_identity_t<Span<const T, S>> scales,
                       std::int64_t first_row);

}  // namespace amgsolve
