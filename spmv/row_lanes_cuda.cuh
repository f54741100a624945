#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "core/parallel_cuda.cuh"

/// Rows (or the adjacency lists of nodes) worked on by a few neighbouring lanes of a warp each, which read its entries
/// side by side.
namespace amgsolve {

/// One cache sector of column indices: rows of 5 to 30 entries are what coarsening sees.
inline constexpr int row_lanes = 8;

using RowLanes = cooperative_groups::thread_block_tile<row_lanes, cooperative_groups::thread_block>;

namespace detail {

template <class Body>
__global__ void parallel_rows_kernel(std::int64_t rows, Body body) {
  const RowLanes lanes = cooperative_groups::tiled_partition<row_lanes>(cooperative_groups::this_thread_block());
  const std::int64_t row = thread_index() / row_lanes;
  if (row < rows) {
    body(lanes, row);
  }
}

}  // namespace detail

/// Calls body(lanes, row) for every row in [0, rows), by all lanes of the row together. The body is a __device__ lambda
/// that captures by value.
template <class Body>
void parallel_rows(Context<Cuda>& ctx, std::int64_t rows, const Body& body) {
  launch(ctx, detail::parallel_rows_kernel<Body>, Grid::of_lanes(rows, row_lanes), rows, body);
}

/// Calls body(row, entry) for every entry of a CSR matrix, neighbouring entries on neighbouring threads. The body is a
/// __device__ lambda that captures by value.
template <class Body>
void parallel_entries(Context<Cuda>& ctx, Index rows, const Offset* row_offsets, const Body& body) {
  parallel_rows(ctx, rows, [=] __device__(const RowLanes& lanes, std::int64_t row) {
    const Offset end = row_offsets[row + 1];
    for (Offset entry = row_offsets[row] + lanes.thread_rank(); entry < end; entry += row_lanes) {
      body(row, entry);
    }
  });
}

}  // namespace amgsolve
