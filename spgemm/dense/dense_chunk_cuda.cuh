#pragma once

#include <cstdint>

#include "spgemm/rows/scaled_row_cuda.cuh"

/// What the kernels of the thin product are made of.
namespace amgsolve::thin {

/// Accumulators in shared memory for a chunk of columns from `first` on.
template <class T>
struct Chunk {
  std::uint32_t first;
  std::uint32_t columns;
  T* sums;  ///< where marked
  std::uint8_t* marks;

  __device__ bool has(std::uint32_t col) const { return col - first < columns; }
  __device__ bool is_before(std::uint32_t col) const { return col >= first && !has(col); }

  __device__ void add(std::uint32_t col, T product) const {
    const std::uint32_t c = col - first;
    if constexpr (has_values<T>) {
      sums[c] = (marks[c] != 0 ? sums[c] : T{0}) + product;
    }
    marks[c] = 1;
  }
};

}  // namespace amgsolve::thin
