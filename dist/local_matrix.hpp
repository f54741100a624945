#pragma once

#include <cstdint>
#include <memory>

#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Consecutive rows of a matrix, with the columns of the whole one.
template <class T>
struct GlobalRows {
  Buffer<Offset, Host> row_offsets;  ///< rows + 1
  Buffer<std::int64_t, Host> col_indices;
  Buffer<T, Host> values;

  Index rows() const { return static_cast<Index>(row_offsets.size()) - 1; }
  Offset nnz() const { return static_cast<Offset>(col_indices.size()); }
};

/// A rank's rows of a matrix as an ordinary one over a window of its columns.
template <class T>
struct LocalMatrix {
  CsrMatrix<T, Host> A;                  ///< rows of this rank × layout->columns()
  std::shared_ptr<const Layout> layout;  ///< of the columns
};

/// Rows that have the columns of the whole matrix, in 32 bits.
template <class T>
GlobalRows<T> with_wide_columns(Context<Host>& ctx, CsrMatrix<T, Host> rows);

/// The strip over the window of the columns that it has entries in. The order of a row's entries stays; columns that
/// are own rows' are in the window whether there are entries or not. Collective. O(nnz log ghosts).
/// @param columns  whose rows are the matrix's columns
/// Throws InputError on all ranks where a column is outside the matrix, naming row and column.
template <class T>
LocalMatrix<T> to_local(Context<Host>& ctx, const Partition& columns, GlobalRows<T> rows);

/// The way back. O(nnz).
template <class T>
GlobalRows<T> to_global(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const Layout& layout);

}  // namespace amgsolve
