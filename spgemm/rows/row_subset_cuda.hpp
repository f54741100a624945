#pragma once

#include "spmv/csr_matrix.hpp"

/// Some rows of a matrix as a matrix of their own, and back. A block a row: for few rows, or long ones.
namespace amgsolve {

/// The matrix of rows rows_0, rows_1, … of A. Synchronises.
template <class T>
CsrMatrix<T, Cuda> gather_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const Index, Cuda> rows);

/// lengths_{rows_i} = length of row i of A.
template <class T>
void scatter_row_lengths(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const Index, Cuda> rows,
                         Span<Offset, Cuda> lengths);

/// Row rows_i of B = row i of A; B has its row offsets.
template <class T>
void scatter_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const Index, Cuda> rows, CsrMatrix<T, Cuda>& B);

}  // namespace amgsolve
