#pragma once

#include <bit>
#include <cstdint>

#include "core/span.hpp"
#include "core/types.hpp"

/// Where Gustavson's method finds the entry of a row of C that a product belongs to. A row grows as a list of columns
/// in the order in which they first occur; a slot map tells the position of a column in that list.
namespace amgsolve {

inline constexpr Index empty_slot = -1;

/// One slot for each column of B: 4 · B.cols bytes, one access a look-up.
class DenseSlots {
 public:
  static std::size_t size(std::int64_t /*longest_row*/, Index cols) { return static_cast<std::size_t>(cols); }

  /// @param slots  size() entries, all empty_slot
  explicit DenseSlots(Index* slots) : slots_(slots) {}

  /// Prepare for a row of at most `entries` entries.
  void start_row(std::int64_t /*entries*/) {}

  /// The position of `col` in the row's list `cols`; `next`, its future position, where it is not yet in it.
  Index find_or_insert(Index col, const Index* /*cols*/, Index next) {
    const Index found = slots_[col];
    const Index position = found == empty_slot ? next : found;
    slots_[col] = position;
    return position;
  }

  /// Forget the row, whose list of columns this is.
  void clear(const Index* cols, Index count) {
    for (Index i = 0; i < count; ++i) {
      slots_[cols[i]] = empty_slot;
    }
  }

 private:
  Index* slots_;
};

/// An open-addressing table with linear probing, at most half full: its size follows the row and not B.cols, so that it
/// stays in cache where the columns of a row are far apart.
class HashSlots {
 public:
  static std::size_t size(std::int64_t longest_row, Index /*cols*/) { return capacity(longest_row); }

  /// @param slots  size() entries, all empty_slot
  explicit HashSlots(Index* slots) : slots_(slots) {}

  void start_row(std::int64_t entries) { shift_ = 64 - std::countr_zero(capacity(entries)); }

  Index find_or_insert(Index col, const Index* cols, Index next) {
    const std::uint64_t mask = (std::uint64_t{1} << (64 - shift_)) - 1;
    for (std::uint64_t slot = first_slot(col);; slot = (slot + 1) & mask) {
      const Index found = slots_[slot];
      if (found == empty_slot) {
        slots_[slot] = next;
        return next;
      }
      if (cols[found] == col) {
        return found;
      }
    }
  }

  void clear(const Index* cols, Index count) {
    const std::uint64_t mask = (std::uint64_t{1} << (64 - shift_)) - 1;
    for (Index i = 0; i < count; ++i) {
      // Every slot from the first one to the entry's own is taken by this row, so emptying up to the next empty one
      // empties the entry's.
      for (std::uint64_t slot = first_slot(cols[i]); slots_[slot] != empty_slot; slot = (slot + 1) & mask) {
        slots_[slot] = empty_slot;
      }
    }
  }

 private:
  static std::size_t capacity(std::int64_t entries) { return std::bit_ceil(static_cast<std::size_t>(2 * entries + 2)); }

  // Fibonacci hashing (Knuth, vol. 3, 6.4): the upper bits of the product with 2⁶⁴ / golden ratio.
  std::uint64_t first_slot(Index col) const {
    return (static_cast<std::uint64_t>(col) * 0x9E3779B97F4A7C15u) >> shift_;
  }

  Index* slots_;
  int shift_ = 63;
};

}  // namespace amgsolve
