#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <algorithm>

#include "core/one_lane.hpp"
#include "core/parallel_cuda.cuh"
#include "spmv/row_lanes_tuning_cuda.hpp"

/// Rows (or the adjacency lists of nodes) worked on by a few neighbouring lanes of a warp each, which read its entries
/// side by side.
namespace amgsolve {

using RowLanes = cooperative_groups::thread_block_tile<row_lanes, cooperative_groups::thread_block>;

/// The values of a row's lanes joined by an operation, in all of them.
template <class T, class Join>
__device__ T join_lanes(const RowLanes& lanes, T x, Join join) {
  return cooperative_groups::reduce(lanes, x, join);
}
template <class T, class Join>
__device__ T join_lanes(OneLane, T x, Join) {
  return x;
}

/// The group of the thread that calls.
__device__ inline RowLanes lanes_of_thread(RowLanes*) {
  return cooperative_groups::tiled_partition<row_lanes>(cooperative_groups::this_thread_block());
}
__device__ inline OneLane lanes_of_thread(OneLane*) { return {}; }

/// Calls run(Lanes*, lanes) with the kind of lanes, and how many, that rows with that many entries in all are to have.
/// @param batches  whether a lane alone has eight entries of its row on their way at a time
template <class Run>
void with_row_lanes(std::int64_t rows, std::int64_t entries, bool batches, const Run& run) {
  const bool are_many = batches && rows >= rows_of_batching_lanes;
  if (entries <= (are_many ? entries_of_one_batching_lane : entries_of_one_lane) * rows) {
    run(static_cast<OneLane*>(nullptr), 1);
  } else {
    run(static_cast<RowLanes*>(nullptr), row_lanes);
  }
}

namespace detail {

template <class Lanes, class Body>
__global__ void parallel_rows_kernel(std::int64_t rows, Body body) {
  const Lanes lanes = lanes_of_thread(static_cast<Lanes*>(nullptr));
  const std::int64_t row = thread_index() / lanes.num_threads();
  if (row < rows) {
    body(lanes, row);
  }
}

}  // namespace detail

/// Calls body(lanes, row) for every row in [0, rows), by all lanes of the row together. The body is a __device__ lambda
/// that captures by value.
template <class Body>
void parallel_rows(Context<Cuda>& ctx, std::int64_t rows, const Body& body) {
  launch(ctx, detail::parallel_rows_kernel<RowLanes, Body>, Grid::of_lanes(rows, row_lanes), rows, body);
}

/// The same with lanes as with_row_lanes() chooses them: the body takes either kind.
template <class Body>
void parallel_rows(Context<Cuda>& ctx, std::int64_t rows, std::int64_t entries, const Body& body,
                   bool batches = false) {
  with_row_lanes(rows, entries, batches, [&]<class Lanes>(Lanes*, int lanes) {
    launch(ctx, detail::parallel_rows_kernel<Lanes, Body>, Grid::of_lanes(rows, lanes), rows, body);
  });
}

namespace detail {

template <class Body>
__global__ void parallel_entries_kernel(std::int64_t rows, std::int64_t rows_of_warp, const Offset* row_offsets,
                                        Body body) {
  const std::int64_t first = thread_index() / warp_size * rows_of_warp;
  if (first >= rows) {
    return;  // the whole warp
  }
  const int lane = lane_of_warp();
  const std::int64_t behind = first + rows_of_warp < rows ? first + rows_of_warp : rows;
  // Lanes beyond the rows hold where those end.
  const Offset begin_of_lane = row_offsets[first + lane < behind ? first + lane : behind];
  const Offset end = row_offsets[behind];
  for (Offset of_warp = __shfl_sync(all_lanes, begin_of_lane, 0); of_warp < end; of_warp += warp_size) {
    const int begin = static_cast<int>(min(max(begin_of_lane - of_warp, Offset{-1}), Offset{warp_size}));
    int row = 0;
#pragma unroll
    for (int step = warp_size / 2; step > 0; step /= 2) {
      row += __shfl_sync(all_lanes, begin, row + step) <= lane ? step : 0;
    }
    if (of_warp + lane < end) {
      body(first + row, of_warp + lane);
    }
  }
}

/// Rows whose entries a warp passes through, of so many with so many entries in all.
inline std::int64_t rows_of_entry_warp(std::int64_t rows, std::int64_t entries) {
  return std::clamp<std::int64_t>(entries_of_warp * rows / std::max<std::int64_t>(entries, 1), 1, warp_size);
}

}  // namespace detail

/// Calls body(row, entry) for every entry of a CSR matrix, neighbouring entries on neighbouring threads whatever the
/// rows are like: a warp passes through the entries of up to 32 rows. The body is a __device__ lambda that captures by
/// value.
/// @param entries  about as many as there are
template <class Body>
void parallel_entries(Context<Cuda>& ctx, std::int64_t rows, std::int64_t entries, const Offset* row_offsets,
                      const Body& body) {
  const std::int64_t rows_of_warp = detail::rows_of_entry_warp(rows, entries);
  launch(ctx, detail::parallel_entries_kernel<Body>,
         Grid::of_lanes((rows + rows_of_warp - 1) / rows_of_warp, warp_size), rows, rows_of_warp, row_offsets, body);
}

}  // namespace amgsolve
