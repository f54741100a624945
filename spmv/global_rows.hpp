#pragma once

#include <cstdint>

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

}  // namespace amgsolve
