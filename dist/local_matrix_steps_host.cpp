#include "core/reduce_host.hpp"
#include "dist/local_matrix_rows.hpp"
#include "spmv/parallel_rows_host.hpp"

namespace amgsolve::detail {

template <class Number>
bool find_ascending_columns(Context<Host>& ctx, const WindowColumns& window, Span<const Offset, Host> row_offsets,
                            Span<const Number, Host> entries, Span<Index, Host> columns) {
  const auto rows = static_cast<std::int64_t>(row_offsets.size()) - 1;
  const Offset* const offsets = row_offsets.data();
  const Number* const entry = entries.data();
  Index* const column = columns.data();
  const std::int64_t wrong_row = find_first(ctx, rows, [=](std::int64_t row) {
    bool is_wrong = false;
    for (Offset k = offsets[row]; k < offsets[row + 1]; ++k) {
      column[k] = window.find_column_of(entry[k]);
      is_wrong = is_wrong || column[k] < 0 || (k > offsets[row] && entry[k] <= entry[k - 1]);
    }
    return is_wrong;
  });
  return wrong_row == rows;
}

AMGSOLVE_INSTANTIATE_STRIP_STEPS(Host)

}  // namespace amgsolve::detail
