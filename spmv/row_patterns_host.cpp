#include "core/parallel_host.hpp"
#include "spmv/row_patterns_rows.hpp"

namespace amgsolve {
namespace detail {

/// Most rows have the pattern of the one before them: comparing is all that they cost.
void enter_rows(Context<Host>& ctx, const PatternTable& table, Index rows, std::uint16_t* slot_of) {
  parallel_ranges(ctx, rows, [&](std::int64_t begin, std::int64_t end) {
    std::uint16_t slot = 0;
    for (auto row = static_cast<Index>(begin); row < end && !table.is_seen_full(); ++row) {
      if (row == begin || !table.columns.are_alike(row, row - 1)) {
        slot = table.enter(row);
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

}  // namespace amgsolve
