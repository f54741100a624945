#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "spgemm/host/row_accumulator_host.hpp"
#include "spgemm/host/short_rows_host.hpp"
#include "spgemm/rows/product_blocks_host.hpp"

namespace amgsolve {

/// Forms rows of C = A B, those with few products together where that is allowed. One a worker.
/// @tparam Factors  see ProductList
template <class T, class Slots, class Factors>
class RowWriter {
 public:
  /// @param cols  of C
  RowWriter(WorkspaceScope<Host>& scope, const Factors& factors, Index cols, const ProductBlocks& blocks,
            std::size_t worker, bool short_rows_together)
      : blocks_(&blocks),
        short_rows_together_(short_rows_together && cols <= ShortRows<T, Factors>::most_cols),
        short_rows_(factors),
        accumulator_(scope, factors, cols, blocks.longest_row(worker)) {}

  void clear() { accumulator_.clear(); }

  /// Writes the rows [begin, end), one after the other, and their lengths. Returns their entries.
  /// @param finish  finish(row, cols, values, entries), called for every row, may change its values
  template <class Finish>
  Offset write(Index begin, Index end, Offset* lengths, Index* cols, T* values, const Finish& finish) {
    constexpr Index most_rows = ShortRows<T, Factors>::most_rows;
    Offset entries = 0;
    for (Index i = begin; i < end;) {
      const Index rows = std::min(most_rows, end - i);
      std::array<Offset, std::size_t{most_rows}> products;
      for (Index row = 0; row < rows; ++row) {
        products[static_cast<std::size_t>(row)] = blocks_->row_products(i + row);
      }
      const Offset most = *std::max_element(products.begin(), products.begin() + rows);
      const bool together = short_rows_together_ && most <= ShortRows<T, Factors>::most_products;
      if (together) {
        short_rows_.write(i, rows, most, lengths, cols + entries, values + entries);
      }
      for (Index row = 0; row < rows; ++row) {
        Index* const row_cols = cols + entries;
        T* const row_values = values + entries;
        if (!together) {
          lengths[row] = accumulator_.write(i + row, products[static_cast<std::size_t>(row)], row_cols, row_values);
        }
        finish(i + row, row_cols, row_values, lengths[row]);
        entries += lengths[row];
      }
      lengths += rows;
      i += rows;
    }
    return entries;
  }

 private:
  const ProductBlocks* blocks_;
  bool short_rows_together_;
  ShortRows<T, Factors> short_rows_;
  RowAccumulator<T, Slots, Factors> accumulator_;
};

}  // namespace amgsolve
