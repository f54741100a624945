#include "spmv/alike_slices.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "spmv/sell_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class AlikeSlices : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(AlikeSlices, reference::Instances, reference::InstanceNames);

/// Whether slices of rows are found alike that have one entry each but for the longer ones, value(row).
template <class T, MemorySpace S, class Value, class IsLonger>
bool are_alike(Context<S>& ctx, Index slices, const Value& value, const IsLonger& is_longer) {
  Context<Host> host;
  std::vector<reference::Entry> entries;
  const Index rows = slices * slice_rows;
  for (Index row = 0; row < rows; ++row) {
    entries.push_back({row, row, value(row)});
    if (is_longer(row)) {
      entries.push_back({row, (row + 1) % rows, value(row)});
    }
  }
  const auto A = reference::upload(ctx, reference::matrix_from_entries<T>(host, rows, rows, std::move(entries)));
  return has_alike_slices(ctx, A, 0, rows);
}

TYPED_TEST(AlikeSlices, AreThoseOfTheSameValues) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  const auto never = [](Index) { return false; };
  constexpr Index slices = 200;  // all of which are looked at
  for (const Index other : {99, 100}) {
    // The rest are alike: one more that is different.
    const bool expected = other + 1 <= slices / 2;
    const auto is_other = [&](Index row) { return row / slice_rows < other; };
    const auto in_last_row = [&](Index row) {
      return is_other(row) && row % slice_rows == slice_rows - 1 ? 2.0 + row : 1.0;
    };
    EXPECT_EQ((are_alike<T>(ctx, slices, in_last_row, never)), expected) << other;
  }
  // As many as there are slices, but two of them.
  EXPECT_TRUE((are_alike<T>(
      ctx, 10'000, [](Index row) { return 1.0 + row % slice_rows; }, never)));
  EXPECT_FALSE((are_alike<T>(
      ctx, 10'000, [](Index row) { return 1.0 + row; }, never)));
  EXPECT_TRUE((are_alike<T>(
      ctx, 0, [](Index) { return 1.0; }, never)));
}

/// The same values in another order, or in rows of other lengths.
TYPED_TEST(AlikeSlices, DifferByThePlacesOfValues) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  const auto one = [](Index) { return 1.0; };
  const auto never = [](Index) { return false; };
  const auto has_place = [](Index row) { return row % slice_rows == row / slice_rows; };
  EXPECT_FALSE((are_alike<T>(
      ctx, slice_rows, [&](Index row) { return has_place(row) ? 2.0 : 1.0; }, never)));
  EXPECT_FALSE((are_alike<T>(ctx, slice_rows, one, has_place)));
  EXPECT_TRUE((are_alike<T>(ctx, slice_rows, one, [](Index row) { return row % slice_rows == 3; })));
}

}  // namespace
}  // namespace amgsolve
