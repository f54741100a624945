#include <algorithm>
#include <functional>

#include "core/reduce_host.hpp"
#include "spmv/row_patterns_rows.hpp"
#include "spmv/sell_matrix.hpp"
#include "spmv/storage_tuning.hpp"

namespace amgsolve {
namespace detail {

/// Most rows have the pattern of the one before them: comparing is all that they cost.
void enter_rows(Context<Host>& ctx, const PatternTable& table, Index rows, std::uint16_t* slot_of) {
  parallel_ranges(ctx, rows, [&](std::int64_t begin, std::int64_t end) {
    std::uint16_t slot = 0;
    for (auto row = static_cast<Index>(begin); row < end && !table.is_seen_full(); ++row) {
      if (row == begin || !table.items.are_alike(row, row - 1)) {
        slot = static_cast<std::uint16_t>(table.enter(row));
      }
      slot_of[row] = slot;
    }
  });
}

}  // namespace detail

std::optional<RowPatterns<Host>> find_row_patterns(Context<Host>& ctx, Span<const Offset, Host> row_offsets,
                                                   Span<const Index, Host> col_indices) {
  return detail::find_row_patterns<Host>(ctx, row_offsets, col_indices);
}

bool are_mostly_alike(Context<Host>& ctx, const RowPatterns<Host>& patterns) {
  const auto rows = static_cast<std::int64_t>(patterns.of_row.size());
  const std::int64_t others = parallel_reduce(
      ctx, slice_count(static_cast<Index>(rows)), std::int64_t{0},
      [&](std::int64_t begin, std::int64_t end) {
        std::int64_t part = 0;
        for (std::int64_t slice = begin; slice < end; ++slice) {
          const std::uint8_t* const of_row = patterns.of_row.data() + slice * slice_rows;
          const auto count = static_cast<Index>(std::min<std::int64_t>(slice_rows, rows - slice * slice_rows));
          part += count - std::count(of_row, of_row + count, main_pattern(of_row, count));
        }
        return part;
      },
      std::plus<>());
  return static_cast<double>(others) <= tuning::most_other_rows * static_cast<double>(rows);
}

// The ends of lines are what differs.
bool expects_alike_rows(double line) { return 2.0 <= tuning::most_other_rows * line; }

}  // namespace amgsolve
