#pragma once

#include <array>

#include "core/workspace.hpp"

namespace amgsolve {

/// Lists of rows on the device that are worked on alike, by ascending size.
struct RowBins {
  /// hash: bins of rows that find room in shared memory; behind them the list of those that do not.
  static constexpr std::size_t tables = 4;
  static constexpr std::size_t lists = 6;

  Index rows;                       ///< of the matrix: the room of each list
  Span<Index, Cuda> rows_of_lists;  ///< lists × rows
  Span<Offset, Cuda> lengths;       ///< of each list; behind them the sum of all sizes

  RowBins(WorkspaceScope<Cuda>& scope, Index rows_)
      : rows(rows_),
        rows_of_lists(scope.take<Index>(lists * static_cast<std::size_t>(rows_))),
        lengths(scope.take<Offset>(lists + 1)) {}

  Span<Index, Cuda> list(std::size_t bin) const {
    return rows_of_lists.subspan(bin * static_cast<std::size_t>(rows), static_cast<std::size_t>(rows));
  }
  Offset* length(std::size_t bin) const { return lengths.data() + bin; }
};

/// Puts every row i with 0 < sizes_i ≤ limits_b into the first list b for which that holds, nearly in the order of the
/// rows. A list with the limit of the one before stays empty, and its rows what they were.
void fill_bins(Context<Cuda>& ctx, Span<const Offset, Cuda> sizes, const std::array<Offset, RowBins::lists>& limits,
               const RowBins& bins);

}  // namespace amgsolve
