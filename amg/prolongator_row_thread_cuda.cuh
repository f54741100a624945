#pragma once

#include <cuda_pipeline.h>

#include "amg/prolongator_row_cuda.cuh"
#include "amg/prolongator_tuning_cuda.hpp"
#include "spmv/one_pass_cuda.hpp"

namespace amgsolve::prolongator {

/// Lists of a warp's rows of A or P in shared memory, whose entries are a stride apart: so lanes at the same entry of
/// their lists, and groups of 8 lanes that go along a list each, use different banks.
template <class T>
class RowLists {
 public:
  __device__ Index& col(int list, int entry) { return cols_[entry * col_stride + list]; }
  __device__ T& value(int list, int entry) { return values_[entry * value_stride + list]; }

  /// Reads the first `lists` lists from A: list l has the place and length (at most longest_of_thread) that lane l ·
  /// `step` knows.
  __device__ void read(const CsrRef<T>& A, Offset begin, int length, int lists, int step) {
#pragma unroll
    for (int first = 0; first < warp_size; first += lists_at_once) {
      const int list = first + lane_of_warp() / group;
      const bool is_wanted = list < lists;
      const Offset list_begin = __shfl_sync(all_lanes, begin, is_wanted ? list * step : 0);
      const int list_length = __shfl_sync(all_lanes, length, is_wanted ? list * step : 0);
      const int entry = lane_of_warp() % group;
      if (is_wanted && entry < list_length) {
        __pipeline_memcpy_async(&col(list, entry), A.col_indices + list_begin + entry, sizeof(Index));
        __pipeline_memcpy_async(&value(list, entry), A.values + list_begin + entry, sizeof(T));
      }
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
  }

  /// Calls store(place, column, value) for the list of each lane, whose entries are `step` apart from `begin` on.
  template <class Store>
  __device__ void write(Offset begin, int length, Index step, const Store& store) {
    __syncwarp();
#pragma unroll
    for (int first = 0; first < warp_size; first += lists_at_once) {
      const int list = first + lane_of_warp() / group;
      const Offset list_begin = __shfl_sync(all_lanes, begin, list);
      const int list_length = __shfl_sync(all_lanes, length, list);
      for (int entry = lane_of_warp() % group; entry < list_length; entry += group) {
        store(list_begin + entry * step, col(list, entry), value(list, entry));
      }
    }
  }

 private:
  static constexpr int group = 8;
  static_assert(longest_of_thread <= group);
  static constexpr int lists_at_once = warp_size / group;
  static constexpr int col_stride = warp_size + 4;
  static constexpr int value_stride = warp_size + (sizeof(T) == 8 ? 2 : 4);
  static constexpr int longest = longest_of_thread + 1;  // a row without diagonal may touch its own aggregate besides

  T values_[longest * value_stride];
  Index cols_[longest * col_stride];
};

/// A column c of the aggregates in a row of P, by a thread that holds the row of A in registers.
template <class T>
class ThreadRow {
 public:
  /// Takes the row from its list.
  __device__ ThreadRow(const Smoothing<T>& s, RowLists<T>& lists, int list, int length, Index row, Label own, Index c) {
    unsigned kept = (1U << length) - 1;  // by the filter
    T dropped = 0;
    if (s.drops()) {
      for (int i = 0; i < length; ++i) {
        if (s.is_weak(row, lists.col(list, i))) {
          kept &= ~(1U << i);
          dropped += lists.value(list, i);
        }
      }
    }
    T diagonal = 0;
    const auto gather = [&](const auto& node_of) {
#pragma unroll
      for (int i = 0; i < longest_of_thread; ++i) {
        // Without a branch, so that all loads are on their way at once.
        const bool is_kept = (kept >> i & 1U) != 0;
        const Index listed_col = lists.col(list, i);  // undefined behind the row, where nothing is kept
        const Index col = is_kept ? listed_col : row;
        const T value = lists.value(list, i);
        const auto aggregate = static_cast<Label>(s.of_node[node_of(col)]);
        label_[i] = is_kept ? aggregate : none;
        product_[i] = value * s.t(col, c);
        diagonal += is_kept && col == row ? value : T{0};
      }
    };
    if (s.block_size == 1) {
      gather([](Index unknown) { return unknown; });
    } else {
      gather([&](Index unknown) { return unknown / s.block_size; });
    }
    lumped_ = LumpedRow<T>(diagonal, dropped, s.damping, own == none);
  }

  /// Calls emit(aggregate, entry) for the aggregates that the row touches, ascending. Each is the lowest one left, and
  /// its products are summed in the order of A's row. t is t_ic.
  template <class Emit>
  __device__ void contract(Label own, T t, const Emit& emit) {
    for (Label low = lowest(own); low < weak; low = lowest(own > low ? own : none)) {
      T sum = 0;
#pragma unroll
      for (int i = 0; i < longest_of_thread; ++i) {
        if (label_[i] == low) {
          sum += product_[i];
          label_[i] = none;
        }
      }
      emit(low, lumped_.entry(sum, low == own, t));
    }
  }

 private:
  __device__ Label lowest(Label low) const {
#pragma unroll
    for (int i = 0; i < longest_of_thread; ++i) {
      low = min(low, label_[i]);
    }
    return low;
  }

  Label label_[longest_of_thread];  ///< none where the entry joins no aggregate, or none any more
  T product_[longest_of_thread];
  LumpedRow<T> lumped_;
};

/// Rows of a warp that has a lane for each of the k columns of a row's aggregates.
AMGSOLVE_HOST_DEVICE int warp_rows(Index k) { return warp_size / k; }

/// The rows of P that a warp forms, with a lane for each column c of a row's aggregates. The warp reads its rows of A
/// into shared memory, since lanes that read a row each would not read side by side, and leaves those of P there.
template <class T>
class WarpRows {
 public:
  __device__ WarpRows(const Smoothing<T>& s, RowLists<T>& lists, std::int64_t warp) : lists_(lists), k_(s.k) {
    const int lane = lane_of_warp();
    const int rows_here = warp_rows(k_);
    const int list = k_ == 1 ? lane : lane / k_;
    c_ = lane - list * k_;
    const std::int64_t wanted_row = warp * rows_here + list;
    const bool has_row = list < rows_here && wanted_row < s.rows;
    is_first = has_row && c_ == 0;
    row = has_row ? static_cast<Index>(wanted_row) : 0;
    const Offset a_begin = s.A.row_offsets[row];
    const Offset a_length = s.A.row_offsets[row + 1] - a_begin;
    fits = a_length <= longest_of_thread;
    const int length = has_row && fits ? static_cast<int>(a_length) : 0;

    const Index unknown = s.first + row;
    const Label own = has_row && fits ? s.aggregate(unknown) : none;
    const T t = s.t(unknown, c_);
    lists.read(s.A, a_begin, length, rows_here, k_);
    ThreadRow<T> entries(s, lists, list, length, unknown, own, c_);
    __syncwarp();  // the lists of P take the place of those of A
    entries.contract(own, t, [&](Label aggregate, T value) {
      lists.col(lane, staged) = static_cast<Index>(aggregate) * k_ + c_;
      lists.value(lane, staged) = value;
      ++staged;
    });
  }

  /// Calls store(place, column, value) for the entries of all rows, each of which begins where its first lane says.
  template <class Store>
  __device__ void write(Offset begin, const Store& store) const {
    lists_.write(__shfl_sync(all_lanes, begin, lane_of_warp() - c_) + c_, staged, k_, store);
  }

  Index row;       ///< 0 for lanes without one
  bool is_first;   ///< of the lanes that have the row
  bool fits;       ///< else it is empty
  int staged = 0;  ///< aggregates that it touches

 private:
  RowLists<T>& lists_;
  Index k_;
  Index c_;
};

}  // namespace amgsolve::prolongator
