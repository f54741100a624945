#pragma once

#include <cstdint>

#include "core/lane_scan_cuda.cuh"
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

  /// Adds a product of the chunk. Returns the first column seen behind it: that of the product, or `next`.
  __device__ std::uint32_t add_or_pass(std::uint32_t col, T product, std::uint32_t next) const {
    if (has(col)) {
      add(col, product);
    }
    return is_before(col) ? min(next, col) : next;
  }

  /// Clears the marks in [begin, end), multiples of 32, by a warp. Returns `position` with the entries marked behind
  /// it; where there are values, writes the entries there in order.
  template <class Position>
  __device__ Position take(std::uint32_t begin, std::uint32_t end, Position position, Index* col_indices,
                           T* values) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    for (std::uint32_t c = begin + lane; c < end; c += warp_size) {
      const bool is_marked = marks[c] != 0;
      const unsigned marked = __ballot_sync(all_lanes, is_marked);
      if (is_marked) {
        marks[c] = 0;
        if constexpr (has_values<T>) {
          const Position mine = position + __popc(marked & ((1U << lane) - 1));
          col_indices[mine] = static_cast<Index>(first + c);
          values[mine] = sums[c];
        }
      }
      position += __popc(marked);
    }
    return position;
  }
};

}  // namespace amgsolve::thin
