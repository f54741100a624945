#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/hash.hpp"
#include "core/types.hpp"

/// How Gustavson's method finds the entry of a row of C that a product belongs to. A row grows as a list of columns and
/// values in the order in which the columns first occur; slots tell the position of a column in that list.
namespace amgsolve {

/// Positions count through all rows that one thread forms, from 1: a slot with a position before the first one of the
/// current row is empty, so that slots never have to be cleared between rows.
using RowPosition = std::uint32_t;

/// The most columns for which an accumulator takes dense slots unless told otherwise: a map of 4 MB; past it a look-up
/// is likely to miss the caches and a row's own small table is quicker.
inline constexpr Index dense_cols_limit = 1 << 20;

/// One slot for each column of B: 4 · B.cols bytes, one access a look-up.
class DenseSlots {
 public:
  static std::size_t size(Offset /*longest_row*/, Index cols) { return static_cast<std::size_t>(cols); }

  /// @param slots  size() entries, all 0
  explicit DenseSlots(RowPosition* slots) : slots_(slots) {}

  /// Begin a row of at most `entries` entries at position `first`.
  void start_row(RowPosition /*first*/, Offset /*entries*/) {}

  /// The slot with the position of `col`, or an empty one for it. `cols` is the row's list of columns.
  RowPosition& find(Index col, const Index* /*cols*/) const { return slots_[col]; }

 private:
  RowPosition* slots_;
};

/// An open-addressing table with linear probing, at most half full: its size follows the row and not B.cols, so that it
/// stays in cache where the columns of a row are far apart. Members as in DenseSlots.
class HashSlots {
 public:
  static std::size_t size(Offset longest_row, Index /*cols*/) { return capacity(longest_row); }

  explicit HashSlots(RowPosition* slots) : slots_(slots) {}

  void start_row(RowPosition first, Offset entries) {
    first_ = first;
    mask_ = capacity(entries) - 1;
    shift_ = 64 - std::popcount(mask_);
  }

  RowPosition& find(Index col, const Index* cols) const {
    // Fibonacci hashing (Knuth, vol. 3, 6.4): the upper bits of the product with 2⁶⁴ / golden ratio.
    std::uint64_t slot = (static_cast<std::uint64_t>(col) * golden_factor) >> shift_;
    while (slots_[slot] >= first_ && cols[slots_[slot] - first_] != col) {
      slot = (slot + 1) & mask_;
    }
    return slots_[slot];
  }

 private:
  static std::size_t capacity(Offset entries) { return std::bit_ceil(static_cast<std::size_t>(2 * entries + 2)); }

  RowPosition* slots_;
  RowPosition first_ = 1;
  std::uint64_t mask_ = 1;
  int shift_ = 63;
};

}  // namespace amgsolve
