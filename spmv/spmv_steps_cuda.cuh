#pragma once

#include <algorithm>
#include <bit>

#include "core/thread_group_cuda.cuh"
#include "spmv/spmv_steps.hpp"

/// The steps of products on a device, for the storages that Operator knows and for those that a test tries.
namespace amgsolve::detail {

using amgsolve::sum_lanes;

template <int Lanes>
__device__ JudgedSum sum_lanes(JudgedSum sum) {
  sum.value = sum_lanes<Lanes>(sum.value);
  sum.magnitude = sum_lanes<Lanes>(sum.magnitude);
  return sum;
}

/// Σ_l a_il x_lj for all rows i and the columns j in [first, first + ColumnLanes) that X, with k columns, has; then
/// epilogue(i, i · k + j, sum). ColumnLanes · EntryLanes neighbouring lanes work on a row: those of one column share
/// its entries, so that a warp reads neighbouring entries (of one row in CSR, of neighbouring rows in padded storages);
/// all of them read neighbouring values of X. One column lane is for an X of one column, which spares a multiplication
/// for each entry.
template <int ColumnLanes, int EntryLanes, class Ref, class T, class Epilogue>
__global__ void multiply_rows_kernel(Ref A, const T* __restrict__ X, Index all_columns, Index first,
                                     Epilogue epilogue) {
  using Sum = typename Epilogue::Sum;
  const std::int64_t row = thread_index() / (ColumnLanes * EntryLanes);
  const int lane = static_cast<int>(threadIdx.x) % (ColumnLanes * EntryLanes);
  const int entry_lane = lane % EntryLanes;
  const Index k = ColumnLanes == 1 ? 1 : all_columns;
  const Index column = ColumnLanes == 1 ? 0 : first + lane / EntryLanes;
  const bool is_inside = row < A.rows && column < k;
  Sum sum{};
  if (is_inside) {
    const auto entries = A.row(row);
    // Lanes that share a row have few entries each, fewer than it takes for an unrolled loop to pay.
    constexpr int at_once = EntryLanes > 1 ? 1 : 4;
#pragma unroll at_once
    for (Index e = entry_lane; e < entries.count; e += EntryLanes) {
      const Index l = entries.column(e);
      const auto value = static_cast<Sum>(read_only(A.values + entries.place(e)));
      if (!Ref::has_padding || l != padding) {
        sum += value * static_cast<Sum>(X[static_cast<std::int64_t>(l) * k + column]);
      }
    }
  }
  sum = sum_lanes<EntryLanes>(sum);
  if (is_inside && entry_lane == 0) {
    epilogue(row, row * k + column, sum);
  }
}

/// Calls body(column lanes, first column) for tiles of columns that make up [0, k): a warp can work on 32 at once, the
/// last tile has the power of two that is enough for what remains. Only an X of one column has a tile of one.
template <class Body>
void for_column_tiles(Index k, const Body& body) {
  for (Index first = 0; first < k; first += warp_size) {
    const auto width = static_cast<unsigned>(std::min(std::max(k - first, std::min(k, Index{2})), Index{warp_size}));
    with_lanes<1, warp_size>(static_cast<int>(std::bit_ceil(width)), [&](auto lanes) { body(lanes, first); });
  }
}

template <class Ref, class T, class Epilogue>
void multiply_rows(Context<Cuda>& ctx, const Ref& A, MultiVectorView<const T, Cuda> X, int lanes,
                   const Epilogue& epilogue) {
  for_column_tiles(X.columns, [&](auto column_lanes, Index first) {
    constexpr int columns = column_lanes.size;
    constexpr int most_entry_lanes = Ref::block_rows == 1 ? warp_size / columns : 1;
    with_lanes<1, most_entry_lanes>(lanes, [&](auto entry_lanes) {
      launch(ctx, multiply_rows_kernel<columns, entry_lanes.size, Ref, T, Epilogue>,
             Grid::of_lanes(A.rows, columns * entry_lanes.size), A, X.data, X.columns, first, epilogue);
    });
  });
}

template <class Ref, class T>
void store_entries(Context<Cuda>& ctx, const CsrRef<T>& A, const Ref& B, Span<Index, Cuda> col_indices,
                   Span<T, Cuda> values) {
  Index* const columns = col_indices.data();
  T* const to = values.data();
  const bool with_columns = !col_indices.empty();
  // A thread a row: neighbours write neighbouring entries.
  parallel_for(ctx, A.rows, [=] __device__(std::int64_t i) {
    const ListedEntries from = A.row(i);
    const RowEntries target = B.row(i);
    for (Index e = 0; e < from.count; ++e) {
      to[target.place(e)] = A.values[from.place(e)];
      if (with_columns) {
        columns[target.place(e)] = from.column(e);
      }
    }
    for (Index e = from.count; with_columns && e < target.count; ++e) {
      to[target.place(e)] = T{0};
      columns[target.place(e)] = padding;
    }
  });
}

}  // namespace amgsolve::detail
