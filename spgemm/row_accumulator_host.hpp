#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/workspace.hpp"
#include "spgemm/slots_host.hpp"
#include "spgemm/sort_row_host.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Forms rows of C = A B one by one (Gustavson 1978), each entry summed in the order of A's row. One a thread.
/// Scratch: the slots and 20 + sizeof(T) bytes for each entry of the longest row.
template <class T, class Slots>
class RowAccumulator {
 public:
  /// @param longest_row  bound on the entries of a row of C
  RowAccumulator(WorkspaceScope<Host>& scope, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                 Offset longest_row)
      : a_offsets_(A.row_offsets.data()),
        a_cols_(A.col_indices.data()),
        a_values_(A.values.data()),
        b_offsets_(B.row_offsets.data()),
        b_cols_(B.col_indices.data()),
        b_values_(B.values.data()),
        longest_row_(longest_row),
        slots_memory_(scope.take<RowPosition>(Slots::size(longest_row, B.cols))),
        slots_(slots_memory_.data()),
        cols_(scope.take<Index>(static_cast<std::size_t>(longest_row) + longest_ranked_row)),
        values_(scope.take<T>(static_cast<std::size_t>(longest_row))),
        keys_(scope.take<std::uint64_t>(2 * static_cast<std::size_t>(longest_row))) {}

  /// Fills the scratch; before the first row, by the thread that works with it, so that its memory lies close.
  void clear() {
    std::fill(slots_memory_.begin(), slots_memory_.end(), RowPosition{0});
    std::fill(cols_.begin(), cols_.end(), Index{0});
    first_ = 1;
  }

  /// The number of entries of row i of C, which sums `products` products.
  Index count(Index i, Offset products) { return form<false>(i, products); }

  /// Row i of C, sorted by column.
  void write(Index i, Offset products, Index* cols, T* values) {
    const Index entries = form<true>(i, products);
    sort_row(cols_.data(), values_.data(), entries, keys_.data(), cols, values);
  }

 private:
  template <bool with_values>
  Index form(Index i, Offset products) {
    if (first_ > std::numeric_limits<RowPosition>::max() - static_cast<RowPosition>(longest_row_)) {
      clear();
    }
    // Copies, since stores to the row could otherwise change them for all that the compiler knows.
    Slots slots = slots_;
    Index* const cols = cols_.data();
    T* const values = values_.data();
    const Offset* const b_offsets = b_offsets_;
    const Index* const b_cols = b_cols_;
    const T* const b_values = b_values_;
    const RowPosition first = first_;
    RowPosition next = first;
    slots.start_row(first, std::min(products, longest_row_));
    const Offset a_end = a_offsets_[i + 1];
    for (Offset k = a_offsets_[i]; k < a_end; ++k) {
      const Index row = a_cols_[k];
      const T a = with_values ? a_values_[k] : T{0};
      const Offset b_end = b_offsets[row + 1];
      for (Offset l = b_offsets[row]; l < b_end; ++l) {
        const Index col = b_cols[l];
        RowPosition& slot = slots.find(col, cols);
        if (slot < first) {
          slot = next;
          cols[next - first] = col;
          if constexpr (with_values) {
            values[next - first] = a * b_values[l];
          }
          ++next;
        } else if constexpr (with_values) {
          values[slot - first] += a * b_values[l];
        }
      }
    }
    first_ = next;
    return static_cast<Index>(next - first);
  }

  const Offset* a_offsets_;
  const Index* a_cols_;
  const T* a_values_;
  const Offset* b_offsets_;
  const Index* b_cols_;
  const T* b_values_;
  Offset longest_row_;
  Span<RowPosition, Host> slots_memory_;
  Slots slots_;
  Span<Index, Host> cols_;
  Span<T, Host> values_;
  Span<std::uint64_t, Host> keys_;
  RowPosition first_ = 1;
};

}  // namespace amgsolve
