#include "core/reduce_cuda.cuh"
#include "spmv/row_lanes_cuda.cuh"

#include "dist/local_matrix_rows.hpp"

namespace amgsolve::detail {
namespace {

/// That a lane has on their way at a time: 4 take 2.7 instead of 2.5 ms of 512³ on an H200.
constexpr int entries_of_lane = 8;

/// A warp passes through the entries of its rows side by side, as with parallel_entries(), each lane with some on their
/// way at a time. Which of them begin a row is told by a bit each.
/// @param wrong  becomes 1 where there is one
template <class Number>
__global__ void find_ascending_columns_kernel(WindowColumns window, std::int64_t rows, std::int64_t rows_of_warp,
                                              const Offset* row_offsets, const Number* entries, Index* columns,
                                              Index* wrong) {
  const std::int64_t first = thread_index() / warp_size * rows_of_warp;
  if (first >= rows) {
    return;  // the whole warp
  }
  const int lane = lane_of_warp();
  const std::int64_t behind = min(first + rows_of_warp, rows);
  const Offset begin_of_lane = row_offsets[min(first + lane, behind)];
  const Offset end = row_offsets[behind];
  Number last = 0;  // of the entries before
  bool is_wrong = false;
  for (Offset batch = __shfl_sync(all_lanes, begin_of_lane, 0); batch < end; batch += entries_of_lane * warp_size) {
    Number loaded[entries_of_lane];
#pragma unroll
    for (int p = 0; p < entries_of_lane; ++p) {
      const Offset k = batch + p * warp_size + lane;
      loaded[p] = k < end ? entries[k] : Number{0};
    }
#pragma unroll
    for (int p = 0; p < entries_of_lane; ++p) {
      const Offset of_warp = batch + p * warp_size;
      const Offset bit = begin_of_lane - of_warp;
      const unsigned begins = __reduce_or_sync(all_lanes, bit >= 0 && bit < warp_size ? 1U << bit : 0U);
      const Number of_lane_before = __shfl_up_sync(all_lanes, loaded[p], 1);
      const Number before = lane == 0 ? last : of_lane_before;
      last = __shfl_sync(all_lanes, loaded[p], warp_size - 1);
      if (of_warp + lane < end) {
        const Index column = window.find_column_of(loaded[p]);
        columns[of_warp + lane] = column;
        is_wrong = is_wrong || column < 0 || ((begins >> lane & 1U) == 0 && loaded[p] <= before);
      }
    }
  }
  if (is_wrong) {
    *wrong = 1;
  }
}

}  // namespace

template <class Number>
bool find_ascending_columns(Context<Cuda>& ctx, const WindowColumns& window, Span<const Offset, Cuda> row_offsets,
                            Span<const Number, Cuda> entries, Span<Index, Cuda> columns) {
  const auto rows = static_cast<std::int64_t>(row_offsets.size()) - 1;
  const std::int64_t rows_of_warp = rows_of_entry_warp(rows, static_cast<std::int64_t>(entries.size()));
  WorkspaceScope scope(ctx.workspace());
  const auto wrong = scope.take<Index>(1);
  set_zero(ctx, wrong);
  launch(ctx, find_ascending_columns_kernel<Number>,
         Grid::of_lanes((rows + rows_of_warp - 1) / rows_of_warp, warp_size), window, rows, rows_of_warp,
         row_offsets.data(), entries.data(), columns.data(), wrong.data());
  return element<Index>(ctx, wrong, 0) == 0;
}

AMGSOLVE_INSTANTIATE_STRIP_STEPS(Cuda)

}  // namespace amgsolve::detail
