#pragma once

#include "core/errors.hpp"
#include "core/format.hpp"
#include "spmv/global_rows.hpp"
#include "src/library/caller_arrays.hpp"

namespace amgsolve {

/// The rows that a process has of a matrix, where its solver works: copies, but of columns that are there, which become
/// others, the caller's. Throws InputError where sizes do not fit together, and what CallerArrays throws.
template <class T, MemorySpace S, class OffsetOfView, class Column>
RankRows<T, S> rows_in_space(Context<S>& ctx, const DistributedCsrView<T, OffsetOfView, Column>& A) {
  const auto rows = static_cast<std::size_t>(checked_index(A.rows, "rows of a process"));
  const bool has_no_offsets = rows == 0 && A.row_offsets.empty();
  if (!has_no_offsets && A.row_offsets.size() != rows + 1) {
    throw InputError(format_text("row_offsets has {} values for {} rows; it must have one more than there are rows",
                                 A.row_offsets.size(), rows));
  }
  if (A.global_columns.size() != A.values.size()) {
    throw InputError(
        format_text("global_columns has {} values, values has {}", A.global_columns.size(), A.values.size()));
  }
  CallerArrays<S> arrays(ctx, A.memory, Ownership::copy);
  RankRows<T, S> result;
  if (has_no_offsets) {
    result.row_offsets = Buffer<Offset, S>(ctx, 1);
    set_zero(ctx, result.row_offsets.span());
  } else {
    result.row_offsets = arrays.offsets_in_space(A.row_offsets);
  }
  result.col_indices = CallerArrays<S>(ctx, A.memory, Ownership::borrow).in_space(A.global_columns, "global_columns");
  result.values = arrays.in_space(A.values, "values");
  return result;
}

}  // namespace amgsolve
