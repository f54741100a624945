#include "problems/sorted_matrix.hpp"

#include <algorithm>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

void check_columns(Context<Host>& ctx, const CsrMatrix<double, Host>& A, const std::string& name) {
  const auto is_outside = [&](Offset k) {
    const Index column = A.col_indices[static_cast<std::size_t>(k)];
    return column < 0 || column >= A.cols;
  };
  const Offset first = parallel_reduce(
      ctx, A.nnz(), A.nnz(),
      [&](Offset begin, Offset end) {
        for (; begin < end && !is_outside(begin); ++begin) {
        }
        return begin < end ? begin : A.nnz();
      },
      [](Offset a, Offset b) { return std::min(a, b); });
  if (first < A.nnz()) {
    const Offset* const offsets = A.row_offsets.data();
    const auto row = std::upper_bound(offsets, offsets + A.rows + 1, first) - offsets;
    throw InputError(format_text("{}: row {}, counted from 1, has an entry in a column outside the {} there are", name,
                                 row, A.cols));
  }
}

}  // namespace

void require_row_offsets(Context<Host>& ctx, const CsrMatrix<double, Host>& A, const std::string& name) {
  const Offset* const offsets = A.row_offsets.data();
  const std::int64_t first_bad = parallel_reduce(
      ctx, A.rows, std::int64_t{A.rows},
      [&](std::int64_t begin, std::int64_t end) {
        for (; begin < end && offsets[begin] <= offsets[begin + 1]; ++begin) {
        }
        return begin < end ? begin : std::int64_t{A.rows};
      },
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
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

std::optional<CsrMatrix<double, Host>> rows_in_order(Context<Host>& ctx, const StoredRows& file, RowRange rows) {
  Buffer<Offset, Host> offsets(ctx, static_cast<std::size_t>(rows.count()) + 1);
  file.row_offsets(rows.first, offsets);
  const Offset begin = offsets[0];
  const Offset end = offsets[offsets.size() - 1];
  const bool begins_well = rows.first == 0 ? begin == 0 : begin >= 0;
  const bool ends_well = rows.last == file.rows ? end == file.entries : end <= file.entries;
  if (!begins_well || !ends_well || end < begin) {
    return {};
  }
  for (Offset& offset : offsets.span()) {
    offset -= begin;
  }
  CsrMatrix<double, Host> A(ctx, static_cast<Index>(rows.count()), file.cols, end - begin);
  A.row_offsets = std::move(offsets);
  file.col_indices(begin, A.col_indices);
  file.values(begin, A.values);
  const bool is_in_order = find_offset_problem(ctx, std::as_const(A.row_offsets).span(), A.nnz()).empty() &&
                           find_column_problem(ctx, A).empty();
  return is_in_order ? std::optional(std::move(A)) : std::nullopt;
}

}  // namespace amgsolve
