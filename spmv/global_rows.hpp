#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "core/context.hpp"

namespace amgsolve {

/// Consecutive rows of a matrix, with the columns of the whole one, which may have any number of them.
template <class T, MemorySpace S>
struct GlobalRows {
  Buffer<Offset, S> row_offsets;  ///< rows + 1
  Buffer<std::int64_t, S> col_indices;
  Buffer<T, S> values;

  Index rows() const { return static_cast<Index>(row_offsets.size() - 1); }
  Offset nnz() const { return static_cast<Offset>(col_indices.size()); }
};

/// The rows of a matrix that a rank has, as solvers are given them: 32 bits a column do where the whole matrix has
/// fewer than 2³¹.
template <class T, MemorySpace S>
struct RankRows {
  Buffer<Offset, S> row_offsets;  ///< rows + 1
  std::variant<Buffer<std::int64_t, S>, Buffer<Index, S>> col_indices;
  Buffer<T, S> values;

  RankRows() = default;
  RankRows(GlobalRows<T, S> rows)
      : row_offsets(std::move(rows.row_offsets)),
        col_indices(std::move(rows.col_indices)),
        values(std::move(rows.values)) {}

  Index rows() const { return static_cast<Index>(row_offsets.size() - 1); }
  Offset nnz() const { return static_cast<Offset>(values.size()); }
};

}  // namespace amgsolve
