#pragma once

#include "core/parallel_cuda.cuh"

namespace amgsolve {
namespace detail {

// Lanes that share a row: of the 5 to 30 entries of a common one they read whole sectors.
inline constexpr int lanes_of_row = 8;

template <class Body>
__global__ void parallel_entries_kernel(Index rows, const Offset* row_offsets, Body body) {
  const std::int64_t row = thread_index() / lanes_of_row;
  if (row < rows) {
    const Offset end = row_offsets[row + 1];
    for (Offset entry = row_offsets[row] + threadIdx.x % lanes_of_row; entry < end; entry += lanes_of_row) {
      body(row, entry);
    }
  }
}

}  // namespace detail

/// Calls body(row, entry) for every entry of a CSR matrix, neighbouring entries on neighbouring threads. The body is a
/// __device__ lambda that captures by value.
template <class Body>
void parallel_entries(Context<Cuda>& ctx, Index rows, const Offset* row_offsets, const Body& body) {
  launch(ctx, detail::parallel_entries_kernel<Body>, Grid::of_lanes(rows, detail::lanes_of_row), rows, row_offsets,
         body);
}

}  // namespace amgsolve
