#include "problems/sorted_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/reference/matrices.hpp"

namespace amgsolve {
namespace {

/// A matrix whose rows have their entries in descending order.
CsrMatrix<double, Host> backwards(Context<Host>& ctx, const CsrMatrix<double, Host>& A) {
  CsrMatrix<double, Host> B(ctx, A.rows, A.cols, A.nnz());
  std::ranges::copy(A.row_offsets.span(), B.row_offsets.data());
  for (Index row = 0; row < A.rows; ++row) {
    const Offset first = A.row_offsets.data()[row];
    const Offset last = A.row_offsets.data()[row + 1];
    std::reverse_copy(A.col_indices.data() + first, A.col_indices.data() + last, B.col_indices.data() + first);
    std::reverse_copy(A.values.data() + first, A.values.data() + last, B.values.data() + first);
  }
  return B;
}

/// The memory that reading takes is forecast before rows are looked at: no more than a copy.
TEST(SortedMatrix, SortsShortRowsInPlaceAndLongOnesByACopy) {
  constexpr double workspace = 1 << 20;  // at least
  Context<Host> other(1);
  for (const auto& [rows, longest_row, most] : {std::tuple(40'000, 40, 1.1), std::tuple(4'000, 400, 2.1)}) {
    const auto A = reference::random_matrix<double>(other, rows, 5000, longest_row, 5);
    Context<Host> ctx(1);
    CsrMatrix<double, Host> B = backwards(ctx, A);
    std::vector<std::string> warnings;
    const CsrMatrix<double, Host> sorted = sorted_matrix(ctx, std::move(B), "A", warnings);
    EXPECT_TRUE(reference::identical(sorted, A));
    EXPECT_TRUE(warnings.empty());
    EXPECT_LE(static_cast<double>(ctx.memory().peak_bytes()), workspace + most * static_cast<double>(A.bytes()))
        << longest_row;
  }
}

}  // namespace
}  // namespace amgsolve
