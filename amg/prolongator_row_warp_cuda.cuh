#pragma once

#include "amg/prolongator_row_cuda.cuh"
#include "spgemm/one_pass_cuda.hpp"

namespace amgsolve::prolongator {

/// A row of P by all lanes of a warp, from a row of A of any length. A window of A's row lies in shared memory, and so
/// does a list of some of the aggregates that the row touches. Rows that fit into the window are read once; longer ones
/// once more for each aggregate, and those of more aggregates than the list holds find them twice.
template <class T>
class WarpRow {
 public:
  /// Dynamic shared memory of a warp whose window has `window` entries, a multiple of the warp size.
  static std::size_t shared_bytes(int window) {
    return static_cast<std::size_t>(window) * (sizeof(T) + sizeof(Index) + sizeof(Label)) + list_room * sizeof(Label);
  }

  __device__ WarpRow(const Smoothing<T>& smoothing, Index row, int window)
      : s_(smoothing),
        row_(row),
        begin_(smoothing.A.row_offsets[row]),
        length_(static_cast<Index>(smoothing.A.row_offsets[row + 1] - begin_)),
        own_(smoothing.aggregate(row)),
        window_(window) {
    extern __shared__ __align__(16) unsigned char shared[];
    constexpr int entry_bytes = static_cast<int>(sizeof(T) + sizeof(Index) + sizeof(Label));
    const int warp_bytes = window * entry_bytes + list_room * static_cast<int>(sizeof(Label));
    values_ = reinterpret_cast<T*>(shared + warp_of_block() * warp_bytes);
    cols_ = reinterpret_cast<Index*>(values_ + window);
    labels_ = reinterpret_cast<Label*>(cols_ + window);
    list_ = labels_ + window;
  }

  __device__ Index length() const { return length_; }

  /// The number of aggregates that the row touches.
  __device__ Index count() {
    Index aggregates = 0;
    do {
      list_from(aggregates == 0 ? 0 : next_);
      aggregates += listed_;
    } while (listed_ == list_room);
    return aggregates;
  }

  /// Writes the row from `begin` on, once its aggregates are counted.
  __device__ void write(const OnePassTarget<T>& target, Offset begin, Index aggregates) {
    const T dropped = s_.strong_offsets == nullptr ? T{0} : sum(weak, [&](int i) { return values_[i]; });
    const RowFactors<T> factors(sum_lanes(diagonal_), dropped, s_.damping);
    for (Index written = 0; written < aggregates; written += listed_) {
      if (aggregates >= list_room) {  // counting went on to others
        list_from(written == 0 ? 0 : next_);
      }
      write_listed(target, begin + std::int64_t{written} * s_.k, factors);
    }
  }

 private:
  static constexpr int list_room = 128;

  /// Lists the row's aggregates from `least` on, its own included, as many as there is room for, ascending: each is the
  /// lowest above the one before.
  __device__ void list_from(Label least) {
    __syncwarp();  // the last list may still be read
    for (listed_ = 0; listed_ < list_room; ++listed_) {
      const Label found = lowest(least);
      if (found >= weak) {
        break;
      }
      if (lane_of_warp() == 0) {
        list_[listed_] = found;
      }
      least = found + 1;
    }
    next_ = least;
    __syncwarp();
  }

  /// The row's lowest label from `least` on; weak or none where no aggregate is left.
  __device__ Label lowest(Label least) {
    Label low = own_ >= least ? own_ : none;
    for_each_window([&] {
      for (int i = lane_of_warp(); i < loaded_; i += warp_size) {
        low = labels_[i] >= least ? min(low, labels_[i]) : low;
      }
    });
    return __reduce_min_sync(all_lanes, low);
  }

  /// A lane for each entry.
  __device__ void write_listed(const OnePassTarget<T>& target, Offset begin, const RowFactors<T>& factors) {
    const int entries = listed_ * s_.k;
    for (int first = 0; first < entries; first += warp_size) {
      const int entry = first + lane_of_warp();
      const int number = s_.k == 1 ? entry : entry / s_.k;
      const Index c = entry - number * s_.k;
      const Label mine = entry < entries ? list_[number] : none;
      const T sum_of_mine = s_.k == 1 ? sum(mine, [&](int i) { return values_[i]; })
                                      : sum(mine, [&](int i) { return values_[i] * s_.t(cols_[i], c); });
      if (entry < entries) {
        target.col_indices[begin + entry] = static_cast<Index>(mine) * s_.k + c;
        target.values[begin + entry] = factors.entry(sum_of_mine, mine == own_, s_.t(row_, c));
      }
    }
  }

  /// Σ term(i) over the entries i with a label, which each lane has its own of, in the order of A's row: all lanes walk
  /// along it together.
  template <class Term>
  __device__ T sum(Label label, const Term& term) {
    T sum = 0;
    for_each_window([&] {
#pragma unroll 4
      for (int i = 0; i < loaded_; ++i) {
        const T x = term(i);  // on its way before the label is known
        sum = labels_[i] == label ? sum + x : sum;
      }
    });
    return sum;
  }

  /// Calls visit() with each part of the row in the window in turn.
  template <class Visit>
  __device__ void for_each_window(const Visit& visit) {
    for (Index first = 0; first < length_; first += window_) {
      if (first != first_loaded_) {
        load(first);
      }
      visit();
    }
  }

  __device__ void load(Index first) {
    __syncwarp();  // the last window may still be read
    first_loaded_ = first;
    loaded_ = min(length_ - first, window_);
    for (int i = lane_of_warp(); i < loaded_; i += warp_size) {
      const Index col = s_.A.col_indices[begin_ + first + i];
      const T value = s_.A.values[begin_ + first + i];
      const bool is_weak = s_.is_weak(row_, col);
      cols_[i] = col;
      labels_[i] = is_weak ? weak : s_.aggregate(col);
      values_[i] = s_.k == 1 && !is_weak ? value * s_.t(col, 0) : value;
      diagonal_ = col == row_ ? value : diagonal_;
    }
    __syncwarp();
  }

  const Smoothing<T>& s_;
  Index row_;
  Offset begin_;
  Index length_;
  Label own_;
  T diagonal_ = 0;  ///< in the lane that read it

  int window_;
  Index first_loaded_ = -1;  ///< the entry of the row where the window begins
  Index loaded_ = 0;         ///< entries in it
  Index* cols_;
  Label* labels_;
  T* values_;  ///< of one candidate: the products a_ij t_j, unless weak

  Label* list_;
  int listed_ = 0;
  Label next_ = 0;  ///< all below were listed
};

}  // namespace amgsolve::prolongator
