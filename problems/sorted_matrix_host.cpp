#include "problems/sorted_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    throw InputError(fmt::format("{}: row {}, counted from 1, has an entry in a column outside the {} there are", name,
                                 row, A.cols));
  }
}

}  // namespace

CsrMatrix<double, Host> sorted_matrix(Context<Host>& ctx, CsrMatrix<double, Host> A, const std::string& name,
                                      std::vector<std::string>& warnings) {
  check_columns(ctx, A, name);
  if (find_column_problem(ctx, A).empty()) {
    return A;
  }
  Offset duplicates = 0;
  A = coo_to_csr(ctx, csr_to_coo(ctx, A), &duplicates);
  if (duplicates > 0) {
    warnings.push_back(
        fmt::format("{}: {} of entries before them, which were summed", name, format_count(duplicates, "duplicate")));
  }
  return A;
}

}  // namespace amgsolve
