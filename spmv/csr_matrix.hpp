#pragma once

#include "core/context.hpp"

namespace amgsolve {

/// A sparse matrix in compressed sparse row format. Row i has the entries row_offsets[i] … row_offsets[i+1] − 1 of
/// col_indices and values. Unless a comment says otherwise the columns of a row are ascending and unique.
/// Move-only; a matrix over borrowed buffers is a view of the caller's arrays and is only read.
template <class T, MemorySpace S>
struct CsrMatrix {
  Index rows = 0;
  Index cols = 0;
  Buffer<Offset, S> row_offsets;  ///< rows + 1 entries, the first 0
  Buffer<Index, S> col_indices;   ///< nnz() entries
  Buffer<T, S> values;            ///< nnz() entries

  CsrMatrix() = default;

  /// A matrix with uninitialised arrays for nnz entries.
  CsrMatrix(Context<S>& ctx, Index rows_, Index cols_, Offset nnz)
      : rows(rows_),
        cols(cols_),
        row_offsets(ctx, static_cast<std::size_t>(rows_) + 1),
        col_indices(ctx, static_cast<std::size_t>(nnz)),
        values(ctx, static_cast<std::size_t>(nnz)) {}

  Offset nnz() const { return static_cast<Offset>(col_indices.size()); }

  /// Bytes of the three arrays.
  std::size_t bytes() const { return row_offsets.bytes() + col_indices.bytes() + values.bytes(); }
};

/// Those rows of a matrix that are a rank's alone, between copies of rows that others have.
struct OwnRows {
  Index first;
  Index count;
  Offset nnz;
};

template <class T, MemorySpace S>
OwnRows all_own(const CsrMatrix<T, S>& A) {
  return {0, A.rows, A.nnz()};
}

}  // namespace amgsolve
