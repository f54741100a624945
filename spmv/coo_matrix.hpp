#pragma once

#include "core/buffer.hpp"

namespace amgsolve {

/// A sparse matrix as triplets (row, column, value) in any order; an entry may occur several times and means the sum.
template <class T, MemorySpace S>
struct CooMatrix {
  Index rows = 0;
  Index cols = 0;
  Buffer<Index, S> row_indices;
  Buffer<Index, S> col_indices;
  Buffer<T, S> values;

  CooMatrix() = default;
  CooMatrix(Context<S>& ctx, Index rows_, Index cols_, Offset nnz)
      : rows(rows_),
        cols(cols_),
        row_indices(ctx, static_cast<std::size_t>(nnz)),
        col_indices(ctx, static_cast<std::size_t>(nnz)),
        values(ctx, static_cast<std::size_t>(nnz)) {}

  Offset nnz() const { return static_cast<Offset>(values.size()); }
};

}  // namespace amgsolve
