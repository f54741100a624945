#include "core/parallel_cuda.cuh"
#include "spmv/row_patterns_rows.hpp"

namespace amgsolve {
namespace detail {

void enter_rows(Context<Cuda>& ctx, const PatternTable& table, Index rows, std::uint16_t* slot_of) {
  parallel_for(ctx, rows, [table, slot_of] __device__(std::int64_t row) {
    if (!table.is_seen_full()) {
      slot_of[row] = static_cast<std::uint16_t>(table.enter(static_cast<Index>(row)));
    }
  });
}

}  // namespace detail

std::optional<RowPatterns<Cuda>> find_row_patterns(Context<Cuda>& ctx, Span<const Offset, Cuda> row_offsets,
                                                   Span<const Index, Cuda> col_indices) {
  return detail::find_row_patterns<Cuda>(ctx, row_offsets, col_indices);
}

}  // namespace amgsolve
