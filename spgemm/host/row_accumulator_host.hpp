#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "spgemm/host/sort_row_host.hpp"
#include "spgemm/rows/product_list_host.hpp"
#include "spgemm/rows/row_slots_host.hpp"

namespace amgsolve {

/// Forms rows of C = A B one by one (Gustavson 1978), each entry summed in the order of A's row. One a thread.
/// Scratch: the slots, 20 + sizeof(T) bytes for each entry of the longest row, and a list of some kilobytes.
/// Aligned to two cache lines, which processors fetch together: the accumulators of other threads lie beside it and
/// each changes with every row.
/// @tparam Factors  see ProductList
template <class T, class Slots, class Factors>
class alignas(128) RowAccumulator {
 public:
  /// @param cols         of C
  /// @param longest_row  bound on the entries of a row of it
  RowAccumulator(WorkspaceScope<Host>& scope, const Factors& factors, Index cols, Offset longest_row)
      : list_(scope, factors),
        longest_row_(longest_row),
        slots_memory_(scope.take<RowPosition>(Slots::size(longest_row, cols))),
        slots_(slots_memory_.data()),
        cols_(scope.take<Index>(static_cast<std::size_t>(longest_row) + longest_ranked_row)),
        values_(scope.take<T>(static_cast<std::size_t>(longest_row))),
        keys_(scope.take<std::uint64_t>(2 * static_cast<std::size_t>(longest_row))) {}

  /// Fills the scratch; before the first row, by the thread that works with it, so that its memory lies close.
  void clear() {
    std::fill(slots_memory_.begin(), slots_memory_.end(), RowPosition{0});
    std::fill(cols_.begin(), cols_.end(), Index{0});
    std::fill(values_.begin(), values_.end(), -T{0});
    first_ = 1;
  }

  /// Writes row i of C, which sums at most `products` products, sorted by column. Returns its entries.
  Index write(Index i, Offset products, Index* cols, T* values) {
    if (first_ > std::numeric_limits<RowPosition>::max() - static_cast<RowPosition>(longest_row_)) {
      clear();
    }
    slots_.start_row(first_, std::min(products, longest_row_));
    RowPosition next = first_;
    list_.list(i, [&](const Index* list_cols, const T* list_values, Offset count) {
      next = add(list_cols, list_values, count, next);
    });
    const auto entries = static_cast<Index>(next - first_);
    first_ = next;
    sort_row(cols_.data(), values_.data(), entries, keys_.data(), cols, values);
    std::fill_n(values_.begin(), entries, -T{0});
    return entries;
  }

 private:
  /// Adds products to the row, whose next new entry gets position `next`; returns the next one after them. Values past
  /// the row are −0, which leaves the bits of whatever is added to it.
  RowPosition add(const Index* list_cols, const T* list_values, Offset count, RowPosition next) {
    // Copies of the members, since stores to the row could otherwise change them for all that the compiler knows.
    const Slots slots = slots_;
    Index* const cols = cols_.data();
    T* const values = values_.data();
    const RowPosition first = first_;
    for (Offset k = 0; k < count; ++k) {
      const Index col = list_cols[k];
      RowPosition& slot = slots.find(col, cols);
      const RowPosition found = slot;
      const bool is_new = found < first;
      // No processor can guess which products are the first of their columns.
      const RowPosition position = __builtin_expect_with_probability(is_new, 1, 0.5) ? next : found;
      slot = position;
      next += is_new;
      cols[position - first] = col;
      values[position - first] += list_values[k];
    }
    return next;
  }

  ProductList<T, Factors> list_;
  Offset longest_row_;
  Span<RowPosition, Host> slots_memory_;
  Slots slots_;
  Span<Index, Host> cols_;
  Span<T, Host> values_;
  Span<std::uint64_t, Host> keys_;
  RowPosition first_ = 1;
};

}  // namespace amgsolve
