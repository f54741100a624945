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

bool have_long_runs(Context<Host>& ctx, const RowPatterns<Host>& patterns) {
  const auto rows = static_cast<std::int64_t>(patterns.of_row.size());
  const std::uint8_t* const of_row = patterns.of_row.data();
  const std::int64_t runs = transform_reduce(
      ctx, rows, std::int64_t{0},
      [of_row](std::int64_t i) { return i % slice_rows == 0 || of_row[i] != of_row[i - 1] ? 1 : 0; },
      [](std::int64_t a, std::int64_t b) { return a + b; });
  return static_cast<double>(rows) >= tuning::least_run * static_cast<double>(runs);
}

bool expects_long_runs(double line) {
  // The ends of a line are runs of their own, and slices cut what is between them.
  return line >= tuning::least_run * (3.0 + line / slice_rows);
}

}  // namespace amgsolve
