#include "problems/sorted_matrix.hpp"

#include <algorithm>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "core/reduce_host.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

void check_columns(Context<Host>& ctx, const CsrMatrix<double, Host>& A, const std::string& name) {
  const Offset first = find_first(ctx, A.nnz(), [&](Offset k) {
    const Index column = A.col_indices[static_cast<std::size_t>(k)];
    return column < 0 || column >= A.cols;
  });
  if (first < A.nnz()) {
    const Offset* const offsets = A.row_offsets.data();
    const auto row = std::upper_bound(offsets, offsets + A.rows + 1, first) - offsets;
    throw InputError(format_text("{}: row {}, counted from 1, has an entry in a column outside the {} there are", name,
                                 row, A.cols));
  }
}

bool has_columns_in_order(Context<Host>& ctx, const GlobalRows<double, Host>& A, std::int64_t cols) {
  return parallel_reduce(
      ctx, A.rows(), true,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          std::int64_t before = -1;
          for (Offset k = A.row_offsets.data()[row]; k < A.row_offsets.data()[row + 1]; ++k) {
            const std::int64_t column = A.col_indices.data()[k];
            if (column <= before || column >= cols) {
              return false;
            }
            before = column;
          }
        }
        return true;
      },
      [](bool a, bool b) { return a && b; });
}

}  // namespace

void require_row_offsets(Context<Host>& ctx, const CsrMatrix<double, Host>& A, const std::string& name) {
  const Offset* const offsets = A.row_offsets.data();
  const std::int64_t first_bad =
      find_first(ctx, A.rows, [&](std::int64_t row) { return offsets[row] > offsets[row + 1]; });
  if (offsets[0] != 0 || offsets[A.rows] != A.nnz()) {
    throw InputError(format_text("{}: the row offsets go from {} to {}, and there are {} entries", name, offsets[0],
                                 offsets[A.rows], A.nnz()));
  }
  if (first_bad < A.rows) {
    throw InputError(
        format_text("{}: the row offset of row {}, counted from 1, is past that of the next", name, first_bad + 1));
  }
}

CsrMatrix<double, Host> sorted_matrix(Context<Host>& ctx, CsrMatrix<double, Host> A, const std::string& name,
                                      std::vector<std::string>& warnings) {
  check_columns(ctx, A, name);
  if (find_column_problem(ctx, A).empty()) {
    return A;
  }
  sort_rows(ctx, A);
  if (find_column_problem(ctx, A).empty()) {
    return A;
  }
  const CooMatrix<double, Host> entries = csr_to_coo(ctx, A);
  A = {};
  return assembled_matrix(ctx, entries, name, warnings);
}

CsrMatrix<double, Host> assembled_matrix(Context<Host>& ctx, const CooMatrix<double, Host>& A, const std::string& name,
                                         std::vector<std::string>& warnings) {
  Offset duplicates = 0;
  CsrMatrix<double, Host> result;
  try {
    result = coo_to_csr(ctx, A, &duplicates);
  } catch (const InputError& error) {
    throw InputError(format_text("{}: {}", name, error.what()));
  }
  if (duplicates > 0) {
    warnings.push_back(
        format_text("{}: {} of entries before them, which were summed", name, format_count(duplicates, "duplicate")));
  }
  return result;
}

void require_finite_entries(Context<Host>& ctx, const CsrMatrix<double, Host>& A, const std::string& name) {
  if (const EntryPosition bad = find_non_finite(ctx, A); bad.row >= 0) {
    throw InputError(
        format_text("{}: the matrix entry in row {}, column {} is NaN or infinite", name, bad.row + 1, bad.col + 1));
  }
}

std::optional<MatrixPart> rows_in_order(Context<Host>& ctx, const StoredRows& file, RowRange rows) {
  GlobalRows<double, Host> A;
  A.row_offsets =
      Buffer<Offset, Host>(ctx, static_cast<std::size_t>(checked_index(rows.count(), "rows of a rank")) + 1);
  file.row_offsets(rows.first, A.row_offsets);
  const Offset begin = A.row_offsets[0];
  const Offset end = A.row_offsets[A.row_offsets.size() - 1];
  const bool begins_well = rows.first == 0 ? begin == 0 : begin >= 0;
  const bool ends_well = rows.last == file.rows ? end == file.entries : end <= file.entries;
  if (!begins_well || !ends_well || end < begin) {
    return {};
  }
  for (Offset& offset : A.row_offsets.span()) {
    offset -= begin;
  }
  A.col_indices = Buffer<std::int64_t, Host>(ctx, static_cast<std::size_t>(end - begin));
  A.values = Buffer<double, Host>(ctx, A.col_indices.size());
  file.col_indices(begin, A.col_indices);
  file.values(begin, A.values);
  const bool is_in_order = find_offset_problem(ctx, std::as_const(A.row_offsets).span(), A.nnz()).empty() &&
                           has_columns_in_order(ctx, A, file.cols);
  return is_in_order ? std::optional(MatrixPart{std::move(A), file.cols}) : std::nullopt;
}

}  // namespace amgsolve
