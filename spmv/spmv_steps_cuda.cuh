#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/thread_group_cuda.cuh"
#include "spmv/row_lanes_tuning_cuda.hpp"
#include "spmv/spmv_steps.hpp"

/// The steps of products on a device, for the storages that Operator knows and for those that a test tries.
namespace amgsolve::detail {

using amgsolve::sum_lanes;

template <int Lanes>
__device__ JudgedSum sum_lanes(JudgedSum sum) {
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2) {
    JudgedSum other;
    other.value = __shfl_xor_sync(all_lanes, sum.value, distance);
    other.error = __shfl_xor_sync(all_lanes, sum.error, distance);
    other.magnitude = __shfl_xor_sync(all_lanes, sum.magnitude, distance);
    sum += other;
  }
  return sum;
}

/// Neighbouring values of a row of X.
template <int Columns, class T>
struct alignas(Columns * sizeof(T)) ColumnValues {
  T values[Columns];

  ColumnValues() = default;
  /// @param at_once  by one load, where they begin at a multiple of their size
  __device__ ColumnValues(const T* __restrict__ x, bool at_once) {
    if (at_once) {
      *this = *reinterpret_cast<const ColumnValues*>(x);
    } else {
      for (int j = 0; j < Columns; ++j) {
        values[j] = x[j];
      }
    }
  }
};

/// As many of them as the widest load brings.
template <class T>
inline constexpr int most_columns_of_thread = 16 / sizeof(T);

/// Σ_l a_il x_lj for all rows i and the columns j in [first, first + Columns · ColumnLanes) that X, with k columns,
/// has; then the epilogue. ColumnLanes · EntryLanes neighbouring lanes work on a row, each on `Columns`
/// columns, by which k can be divided and for which it looks up an entry once: those of the same columns share its
/// entries, so that a warp reads neighbouring entries (of one row in CSR, of neighbouring rows in padded storages); all
/// of them read neighbouring values of X. One column in all is for an X of one column, which spares a multiplication
/// for each entry.
/// @param at_once  whether X begins at a multiple of the size of `Columns` values
template <int Columns, int ColumnLanes, int EntryLanes, class Ref, class T, class Epilogue>
__global__ void multiply_rows_kernel(Ref A, const T* __restrict__ X, bool at_once, Index all_columns, Index first,
                                     Epilogue epilogue) {
  using Sum = typename Epilogue::Sum;
  constexpr int tile = Columns * ColumnLanes;
  constexpr int lanes_of_row = ColumnLanes * EntryLanes;
  const std::int64_t row = thread_index() / lanes_of_row;
  const int lane = static_cast<int>(threadIdx.x) % lanes_of_row;
  const int entry_lane = lane % EntryLanes;
  const Index k = tile == 1 ? 1 : all_columns;
  const Index column = tile == 1 ? 0 : first + lane / EntryLanes * Columns;
  const bool is_inside = row < A.rows && column < k;
  constexpr bool has_one = Columns == 1;
  const bool ends_row = is_inside && entry_lane == 0;
  decltype(epilogue.load(0, 0)) operands{};
  if (has_one && ends_row) {
    operands = epilogue.load(row, row * k + column);
  }
  Sum sums[Columns] = {};
  if (is_inside) {
    const auto entries = A.row(row);
    constexpr int batch = entries_at_once<Columns>;
    // Instructions bind a product by patterns: pointers advance, and a whole batch is not asked for each entry.
    auto columns = entries.columns_from(entry_lane);
    const T* next_value = A.values + entries.place(entry_lane);
    const auto add_batch = [&](const auto& is_there) {
      Index l[batch];
      T values[batch];
      ColumnValues<Columns, T> x[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        l[u] = is_there(u) ? columns.column(u * EntryLanes) : padding;
        values[u] = is_there(u) ? read_only(next_value + u * EntryLanes * entries.stride) : T{0};
      }
      const auto counts = [&](int u) { return Ref::has_padding ? l[u] != padding : is_there(u); };
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        // Several columns do not ask l first, so that all of a batch is on its way at a time: padding loads a row of X.
        if (has_one ? counts(u) : is_there(u)) {
          const std::int64_t row_of_X = Ref::has_padding && !has_one ? max(l[u], 0) : l[u];
          x[u] = ColumnValues<Columns, T>(X + row_of_X * k + column, at_once);
        }
      }
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        if (counts(u)) {
          for (int j = 0; j < Columns; ++j) {
            sums[j] += static_cast<Sum>(values[u]) * static_cast<Sum>(x[u].values[j]);
          }
        }
      }
    };
    Index left = entries.count - entry_lane;
#pragma unroll 1
    for (; left > (batch - 1) * EntryLanes; left -= batch * EntryLanes) {
      add_batch([](int) { return true; });
      columns.advance(batch * EntryLanes);
      next_value += batch * EntryLanes * entries.stride;
    }
    add_batch([&](int u) { return u < batch - 1 && u * EntryLanes < left; });
  }
  for (Sum& sum : sums) {
    sum = sum_lanes<EntryLanes>(sum);
  }
  if constexpr (has_one) {
    if (ends_row) {
      epilogue.store(row * k + column, operands, sums[0]);
    }
  } else {
    // By way of shared memory, so that neighbouring threads finish neighbouring values.
    __shared__ Sum sums_of_block[default_block * Columns];
    Sum* const sums_of_warp = sums_of_block + warp_of_block() * warp_size * Columns;
    if (entry_lane == 0) {
      for (int j = 0; j < Columns; ++j) {
        sums_of_warp[lane_of_warp() / EntryLanes * Columns + j] = sums[j];
      }
    }
    __syncwarp();
    const std::int64_t first_row = row - lane_of_warp() / lanes_of_row;
    for (int i = lane_of_warp(); i < warp_size / EntryLanes * Columns; i += warp_size) {
      const std::int64_t row_of_sum = first_row + i / tile;
      const Index column_of_sum = first + i % tile;
      if (row_of_sum < A.rows && column_of_sum < k) {
        const std::int64_t position = row_of_sum * k + column_of_sum;
        epilogue.store(position, epilogue.load(row_of_sum, position), sums_of_warp[i]);
      }
    }
  }
}

/// Calls body(column lanes, first column) for tiles of columns that make up [0, k), with `Columns` columns a lane: a
/// tile has 32 columns at most, the last the power of two that is enough for what remains. Only an X of one column has
/// a tile of one.
template <int Columns, class Body>
void for_column_tiles(Index k, const Body& body) {
  for (Index first = 0; first < k; first += warp_size) {
    const auto width = static_cast<unsigned>(std::min(std::max(k - first, std::min(k, Index{2})), Index{warp_size}));
    with_lanes<1, warp_size / Columns>(static_cast<int>(std::bit_ceil(width)) / Columns,
                                       [&](auto lanes) { body(lanes, first); });
  }
}

template <int Columns, class Ref, class T, class Epilogue>
void multiply_columns(Context<Cuda>& ctx, const Ref& A, MultiVectorView<const T, Cuda> X, int lanes,
                      const Epilogue& epilogue) {
  const bool at_once = reinterpret_cast<std::uintptr_t>(X.data) % sizeof(ColumnValues<Columns, T>) == 0;
  for_column_tiles<Columns>(X.columns, [&](auto column_lanes, Index first) {
    constexpr int of_columns = column_lanes.size;
    constexpr int most_entry_lanes = Ref::block_rows == 1 ? warp_size / of_columns : 1;
    with_lanes<1, most_entry_lanes>(lanes / of_columns, [&](auto entry_lanes) {
      launch(ctx, multiply_rows_kernel<Columns, of_columns, entry_lanes.size, Ref, T, Epilogue>,
             Grid::of_lanes(A.rows, of_columns * entry_lanes.size), A, X.data, at_once, X.columns, first, epilogue);
    });
  });
}

template <class Ref, class T, class Epilogue>
void multiply_rows(Context<Cuda>& ctx, const Ref& A, MultiVectorView<const T, Cuda> X, int lanes,
                   const Epilogue& epilogue) {
  constexpr int most = most_columns_of_thread<T>;
  if (X.columns % most == 0) {
    multiply_columns<most>(ctx, A, X, lanes, epilogue);
  } else {
    multiply_columns<1>(ctx, A, X, lanes, epilogue);
  }
}

template <class Ref, class T>
void store_entries(Context<Cuda>& ctx, const CsrRef<T>& A, const Ref& B, Span<Index, Cuda> col_indices,
                   Span<T, Cuda> values) {
  Index* const columns = col_indices.empty() ? nullptr : col_indices.data();
  T* const to = values.data();
  // A thread a row: neighbours write neighbouring entries.
  parallel_for(ctx, B.rooms(), [=] __device__(std::int64_t i) { store_row(A, i, B.room(i), columns, to); });
}

}  // namespace amgsolve::detail
