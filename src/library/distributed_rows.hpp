#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <amgsolve/amgsolve.hpp>

#include "core/context.hpp"
#include "core/errors.hpp"
#include "dist/local_matrix.hpp"

namespace amgsolve {

/// A copy of the rows that a process has of a matrix. Throws InputError where the arrays do not fit together.
template <class T, class OffsetOfView>
GlobalRows<T, Host> copy_rows(Context<Host>& ctx, const DistributedCsrView<T, OffsetOfView>& A) {
  const auto rows = static_cast<std::size_t>(checked_index(A.rows, "rows of a process"));
  const bool has_no_offsets = rows == 0 && A.row_offsets.empty();
  if (!has_no_offsets && A.row_offsets.size() != rows + 1) {
    throw InputError(fmt::format("row_offsets has {} values for {} rows; it must have one more than there are rows",
                                 A.row_offsets.size(), rows));
  }
  if (A.global_columns.size() != A.values.size()) {
    throw InputError(
        fmt::format("global_columns has {} values, values has {}", A.global_columns.size(), A.values.size()));
  }
  GlobalRows<T, Host> result{Buffer<Offset, Host>(ctx, rows + 1),
                             Buffer<std::int64_t, Host>(ctx, A.global_columns.size()),
                             Buffer<T, Host>(ctx, A.values.size())};
  result.row_offsets[0] = 0;
  std::copy(A.row_offsets.begin(), A.row_offsets.end(), result.row_offsets.data());
  for (std::size_t i = 0; i < rows; ++i) {
    if (result.row_offsets[i + 1] < result.row_offsets[i]) {
      throw InputError(fmt::format("row_offsets descends at row {} of the process, counted from 1", i + 1));
    }
  }
  if (result.row_offsets[0] != 0 || result.row_offsets[rows] != static_cast<Offset>(A.values.size())) {
    throw InputError(fmt::format("row_offsets goes from {} to {}; it must go from 0 to the number of entries, {}",
                                 result.row_offsets[0], result.row_offsets[rows], A.values.size()));
  }
  std::copy(A.global_columns.begin(), A.global_columns.end(), result.col_indices.data());
  std::copy(A.values.begin(), A.values.end(), result.values.data());
  return result;
}

}  // namespace amgsolve
