#include <gtest/gtest.h>

#include <vector>

#include "spmv/spmv_steps_host.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

/// A toy storage: rows of one entry at most, as of an aggregation without smoothing.
template <class T>
struct SingleEntryRef {
  static constexpr bool has_padding = true;
  static constexpr Index block_rows = 64;

  Index rows;
  const Index* col_indices;
  const T* values;

  RowEntries row(Offset i) const { return {i, rows, rows}; }
};

TEST(Storage, NeedsNoMoreThanThePlacesOfARowsEntries) {
  Context<Host> ctx(2);
  const auto A = reference::matrix_from_entries<double>(ctx, 300, 9, {{0, 3, 2.0}, {7, 8, -1.0}, {299, 0, 5.0}});
  std::vector<Index> col_indices(300);
  std::vector<double> values(300);
  const SingleEntryRef<double> stored{300, col_indices.data(), values.data()};
  detail::store_entries(ctx, ref_of(A), stored, Span<Index, Host>(col_indices.data(), 300),
                        Span<double, Host>(values.data(), 300));
  EXPECT_EQ(col_indices[7], 8);
  EXPECT_EQ(col_indices[8], padding);
  const auto X = reference::random_values<double>(18, 1);
  std::vector<double> Y(600);
  detail::multiply_rows(ctx, stored, MultiVectorView<const double, Host>(X.data(), 9, 2), 1,
                        detail::MultiplyAdd<double>{1.0, 0.0, Y.data()});
  std::vector<double> expected(600);
  for (std::size_t j = 0; j < 2; ++j) {
    expected[j] = 2.0 * X[6 + j];
    expected[14 + j] = -X[16 + j];
    expected[598 + j] = 5.0 * X[j];
  }
  EXPECT_EQ(Y, expected);
}

}  // namespace
}  // namespace amgsolve
