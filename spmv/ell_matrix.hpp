#pragma once

#include "core/buffer.hpp"

namespace amgsolve {

/// A sparse matrix in ELLPACK format: every row is padded to `width` entries, stored column by column (entry k of row i
/// at k · rows + i), so that consecutive rows are read from consecutive addresses. Padding has column `padding` and
/// value 0.
template <class T, MemorySpace S>
struct EllMatrix {
  static constexpr Index padding = -1;

  Index rows = 0;
  Index cols = 0;
  Index width = 0;               ///< entries stored for each row: the longest row's
  Offset nnz = 0;                ///< entries without the padding
  Buffer<Index, S> col_indices;  ///< rows · width
  Buffer<T, S> values;           ///< rows · width

  EllMatrix() = default;
  EllMatrix(Context<S>& ctx, Index rows_, Index cols_, Index width_, Offset nnz_)
      : rows(rows_),
        cols(cols_),
        width(width_),
        nnz(nnz_),
        col_indices(ctx, static_cast<std::size_t>(rows_) * static_cast<std::size_t>(width_)),
        values(ctx, static_cast<std::size_t>(rows_) * static_cast<std::size_t>(width_)) {}

  std::size_t bytes() const { return col_indices.bytes() + values.bytes(); }
};

}  // namespace amgsolve
