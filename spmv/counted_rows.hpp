#pragma once

#include "core/algorithms.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/global_rows.hpp"
#include "spmv/row_margins.hpp"

/// Matrices of which the rows are counted first, then formed.
namespace amgsolve {

/// A matrix without entries, whose row offsets are uninitialised.
template <class T, MemorySpace S>
CsrMatrix<T, S> uncounted_matrix(Context<S>& ctx, Index rows, Index cols) {
  CsrMatrix<T, S> A;
  A.rows = rows;
  A.cols = cols;
  A.row_offsets = Buffer<Offset, S>(ctx, static_cast<std::size_t>(rows) + 1);
  return A;
}

/// Where the entries of each row are counted.
template <class T, MemorySpace S>
Span<Offset, S> row_counts(CsrMatrix<T, S>& A) {
  return A.row_offsets.span().subspan(1, static_cast<std::size_t>(A.rows));
}

/// Uninitialised room for so many entries, between margins.
template <class T, MemorySpace S>
void allocate_entries(Context<S>& ctx, CsrMatrix<T, S>& A, Offset nnz, const RowMargins& margins) {
  const std::size_t before = RowMargins::elements(margins.before, A.rows, nnz);
  const std::size_t behind = RowMargins::elements(margins.behind, A.rows, nnz);
  A.col_indices = Buffer<Index, S>(ctx, before, static_cast<std::size_t>(nnz), behind);
  A.values = Buffer<T, S>(ctx, before, static_cast<std::size_t>(nnz), behind);
}

/// Makes offsets of the counts, and uninitialised room for the entries. Synchronises.
template <class T, MemorySpace S>
void allocate_entries(Context<S>& ctx, CsrMatrix<T, S>& A, const RowMargins& margins = {}) {
  allocate_entries(ctx, A, counts_to_offsets(ctx, A.row_offsets), margins);
}

template <class T, MemorySpace S>
void allocate_entries(Context<S>& ctx, GlobalRows<T, S>& rows, Offset nnz) {
  rows.col_indices = Buffer<std::int64_t, S>(ctx, static_cast<std::size_t>(nnz));
  rows.values = Buffer<T, S>(ctx, static_cast<std::size_t>(nnz));
}

template <class T, MemorySpace S>
void allocate_entries(Context<S>& ctx, GlobalRows<T, S>& rows) {
  allocate_entries(ctx, rows, counts_to_offsets(ctx, rows.row_offsets.span()));
}

}  // namespace amgsolve
