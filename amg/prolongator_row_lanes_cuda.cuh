#pragma once

#include "amg/prolongator_row_cuda.cuh"
#include "core/thread_group_cuda.cuh"
#include "spmv/one_pass_cuda.hpp"

namespace amgsolve::prolongator {

/// A row of P by a LaneGroup of `Lanes`, from a row of A of any length. A window of A's row lies in shared memory, and
/// so does a list of some of the aggregates that the row touches. Rows that fit into the window are read once; longer
/// ones once more for each aggregate, and those of more aggregates than the list holds find them twice.
template <class T, int Lanes>
class LanesRow {
  using Group = LaneGroup<Lanes>;

 public:
  /// Dynamic shared memory of a row whose window has `window` entries, a multiple of Lanes.
  AMGSOLVE_HOST_DEVICE static int shared_bytes(int window) {
    constexpr int entry_bytes = static_cast<int>(sizeof(T) + sizeof(Index) + sizeof(Label));
    return window * entry_bytes + list_room * static_cast<int>(sizeof(Label)) + gap_bytes;
  }

  /// A group without a row has an empty one that touches nothing.
  __device__ LanesRow(const Smoothing<T>& smoothing, bool has_row, Index row, int window)
      : s_(smoothing),
        unknown_(smoothing.first + row),
        begin_(smoothing.A.row_offsets[row]),
        length_(has_row ? static_cast<Index>(smoothing.A.row_offsets[row + 1] - begin_) : 0),
        longest_(Group::most(length_)),
        own_(has_row ? smoothing.aggregate(unknown_) : none),
        window_(window) {
    extern __shared__ __align__(16) unsigned char shared[];
    values_ = reinterpret_cast<T*>(shared + Group::index_in_block() * shared_bytes(window));
    cols_ = reinterpret_cast<Index*>(values_ + window);
    labels_ = reinterpret_cast<Label*>(cols_ + window);
    list_ = labels_ + window;
  }

  __device__ static int rank() { return Group::rank(); }

  __device__ Index length() const { return length_; }

  /// The number of aggregates that the row touches.
  __device__ Index count() {
    Index aggregates = 0;
    do {
      list_from(aggregates == 0 ? 0 : next_);
      aggregates += listed_;
    } while (Group::any(listed_ == list_room));
    return aggregates;
  }

  /// Writes the row from `begin` on, once its aggregates are counted.
  __device__ void write(const OnePassTarget<T>& target, Offset begin, Index aggregates) {
    const LumpedRow<T> lumped = lump();
    const bool is_listed = !Group::any(aggregates >= list_room);  // else counting went on to others
    for (Index written = 0; Group::any(written < aggregates); written += listed_) {
      if (!is_listed) {
        list_from(written == 0 ? 0 : next_);
      }
      const Offset first = begin + std::int64_t{written} * s_.k;
      form_entries(
          listed_ * s_.k, lumped, [&](int number) { return list_[number]; },
          [&](int entry, Index col, T value) {
            target.col_indices[first + entry] = col;
            target.values[first + entry] = value;
          });
    }
  }

  /// Forms the values of the row anew, whose columns are known.
  __device__ void refill(const Index* cols, T* values, int entries) {
    for_each_window([] {});  // finds the diagonal
    form_entries(
        entries, lump(), [&](int number) { return static_cast<Label>(cols[number * s_.k] / s_.k); },
        [&](int entry, Index, T value) { values[entry] = value; });
  }

 private:
  static constexpr int list_room = 4 * Lanes;

  /// Between the memory of neighbouring rows, so that groups that read the same entry of theirs use different banks.
  static constexpr int gap_bytes = 32;

  /// Lists the row's aggregates from `least` on, its own included, as many as there is room for, ascending: each is the
  /// lowest above the one before.
  __device__ void list_from(Label least) {
    Group::sync();  // the last list may still be read
    listed_ = 0;
    for (int n = 0; n < list_room; ++n) {
      const Label found = lowest(least);
      if (!Group::any(found < weak)) {
        break;
      }
      if (found < weak) {
        if (rank() == 0) {
          list_[listed_] = found;
        }
        ++listed_;
        least = found + 1;
      }
    }
    next_ = least;
    Group::sync();
  }

  /// The row's lowest label from `least` on; weak or none where no aggregate is left.
  __device__ Label lowest(Label least) {
    // Labels below it wrap around and are farther away than any other.
    Label distance = min(own_ - least, none - least);
    for_each_window([&] {
#pragma unroll 1
      for (int i = rank(); i < loaded_; i += Lanes) {
        distance = min(distance, labels_[i] - least);
      }
    });
    if constexpr (Lanes == warp_size) {
      distance = __reduce_min_sync(all_lanes, distance);
    } else {
#pragma unroll
      for (int step = Lanes / 2; step > 0; step /= 2) {
        distance = min(distance, __shfl_xor_sync(all_lanes, distance, step));
      }
    }
    return distance + least;
  }

  /// Once the diagonal has been in the window.
  __device__ LumpedRow<T> lump() {
    const T dropped = s_.strong_offsets == nullptr ? T{0} : sum(weak, [&](int i) { return values_[i]; });
    return {sum_lanes<Lanes>(diagonal_), dropped, s_.damping, own_ == none};
  }

  /// Calls store(entry, column, value) for the entries of neighbouring aggregates aggregate(0), aggregate(1) …, a lane
  /// for each entry.
  template <class Aggregate, class Store>
  __device__ void form_entries(int entries, const LumpedRow<T>& lumped, const Aggregate& aggregate,
                               const Store& store) {
    for (int entry = rank(); Group::any(entry < entries); entry += Lanes) {
      const int number = s_.k == 1 ? entry : entry / s_.k;
      const Index c = entry - number * s_.k;
      const Label mine = entry < entries ? aggregate(number) : none;
      const T sum_of_mine = s_.k == 1 ? sum(mine, [&](int i) { return values_[i]; })
                                      : sum(mine, [&](int i) { return values_[i] * s_.t(cols_[i], c); });
      if (entry < entries) {
        store(entry, static_cast<Index>(mine) * s_.k + c, lumped.entry(sum_of_mine, mine == own_, s_.t(unknown_, c)));
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
    for (Index first = 0; first < longest_; first += window_) {
      if (first != first_loaded_) {
        load(first);
      }
      visit();
    }
  }

  __device__ void load(Index first) {
    Group::sync();  // the last window may still be read
    first_loaded_ = first;
    loaded_ = min(length_ - first, window_);
    for (int i = rank(); i < loaded_; i += Lanes) {
      const Index col = s_.A.col_indices[begin_ + first + i];
      const T value = s_.A.values[begin_ + first + i];
      const bool is_weak = s_.is_weak(unknown_, col);
      cols_[i] = col;
      labels_[i] = is_weak ? weak : s_.aggregate(col);
      values_[i] = s_.k == 1 && !is_weak ? value * s_.t(col, 0) : value;
      diagonal_ = col == unknown_ ? value : diagonal_;
    }
    Group::sync();
  }

  const Smoothing<T>& s_;
  Index unknown_;  ///< of the row
  Offset begin_;
  Index length_;
  Index longest_;  ///< of the warp's rows
  Label own_;
  T diagonal_ = 0;  ///< in the lane that read it

  int window_;
  Index first_loaded_ = -1;  ///< the entry of the row where the window begins
  Index loaded_ = 0;         ///< entries in it; negative behind the row's end
  Index* cols_;
  Label* labels_;
  T* values_;  ///< of one candidate: the products a_ij t_j, unless weak

  Label* list_;
  int listed_ = 0;
  Label next_ = 0;  ///< all below were listed
};

}  // namespace amgsolve::prolongator
