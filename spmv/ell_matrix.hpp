#pragma once

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/row_entries.hpp"
#include "spmv/row_lengths.hpp"

namespace amgsolve {

/// A sparse matrix in ELLPACK format: every row is padded to `width` entries, stored column by column (entry k of row i
/// at k · rows + i), so that consecutive rows are read from consecutive addresses.
template <class T, MemorySpace S>
struct EllMatrix {
  Index rows = 0;
  Index cols = 0;
  Index width = 0;               ///< entries stored for each row: the longest row's
  Offset entries = 0;            ///< without the padding
  Buffer<Index, S> col_indices;  ///< rows · width
  Buffer<T, S> values;           ///< rows · width

  EllMatrix() = default;
  EllMatrix(Context<S>& ctx, Index rows_, Index cols_, Index width_, Offset entries_)
      : rows(rows_),
        cols(cols_),
        width(width_),
        entries(entries_),
        col_indices(ctx, static_cast<std::size_t>(rows_) * static_cast<std::size_t>(width_)),
        values(ctx, static_cast<std::size_t>(rows_) * static_cast<std::size_t>(width_)) {}

  /// Room for the entries of A. Synchronises.
  /// @param slice_widths  the longest row of each slice of slice_rows rows
  EllMatrix(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const Index, S> slice_widths)
      : EllMatrix(ctx, A.rows, A.cols, sum_and_max(ctx, slice_widths).max, A.nnz()) {}

  Offset nnz() const { return entries; }
  std::size_t bytes() const { return col_indices.bytes() + values.bytes(); }
};

/// The arrays of a matrix, to be read.
template <class T>
struct EllRef {
  static constexpr bool has_padding = true;
  static constexpr Index block_rows = 256;  ///< consecutive rows of which entry k lies together

  Index rows;
  Index width;
  const Index* col_indices;
  const T* values;

  AMGSOLVE_HOST_DEVICE ListedEntries row(Offset i) const { return {room(i), col_indices}; }
  AMGSOLVE_HOST_DEVICE RowEntries room(Offset i) const { return {i, rows, width}; }
  Offset rooms() const { return rows; }
};

template <class T, MemorySpace S>
EllRef<T> ref_of(const EllMatrix<T, S>& A) {
  return {A.rows, A.width, A.col_indices.data(), A.values.data()};
}

/// A copy in host memory. Synchronises `ctx`.
template <class T, MemorySpace S>
EllMatrix<T, Host> download(Context<S>& ctx, Context<Host>& host, const EllMatrix<T, S>& A) {
  EllMatrix<T, Host> B(host, A.rows, A.cols, A.width, A.nnz());
  download(ctx, A.col_indices.span(), B.col_indices.span());
  download(ctx, A.values.span(), B.values.span());
  return B;
}

/// @param entry_bytes  of a column and a value
inline double ell_bytes(const RowLengths& A, double entry_bytes) { return A.rows * entry_bytes * A.longest; }

}  // namespace amgsolve
