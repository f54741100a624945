#pragma once

#include <cstdint>

#include "core/context.hpp"

namespace amgsolve {

/// Entries of a matrix as triplets (row, column, value) in any order, as a CooMatrix; with numbers of the whole matrix,
/// which may have any number of rows.
template <class T, MemorySpace S>
struct GlobalEntries {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Buffer<std::int64_t, S> row_indices;
  Buffer<std::int64_t, S> col_indices;
  Buffer<T, S> values;

  GlobalEntries() = default;
  GlobalEntries(Context<S>& ctx, std::int64_t rows_, std::int64_t cols_, Offset nnz)
      : rows(rows_),
        cols(cols_),
        row_indices(ctx, static_cast<std::size_t>(nnz)),
        col_indices(ctx, static_cast<std::size_t>(nnz)),
        values(ctx, static_cast<std::size_t>(nnz)) {}

  Offset nnz() const { return static_cast<Offset>(values.size()); }
};

}  // namespace amgsolve
