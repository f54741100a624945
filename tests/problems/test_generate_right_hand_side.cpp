#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "problems/right_hand_side.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"

namespace amgsolve {
namespace {

template <class T>
std::vector<double> column(const std::vector<T>& values, Index columns, Index j) {
  std::vector<double> result;
  for (auto i = static_cast<std::size_t>(j); i < values.size(); i += static_cast<std::size_t>(columns)) {
    result.push_back(static_cast<double>(values[i]));
  }
  return result;
}

template <class I>
class RightHandSide : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(RightHandSide, reference::Instances, reference::InstanceNames);

TYPED_TEST(RightHandSide, OfOnesIsOneEverywhere) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  MultiVector<T, Space> b(ctx, 1000, 3);
  ones_right_hand_side(ctx, b.view());
  EXPECT_EQ(reference::download(ctx, b), std::vector<T>(3000, T{1}));
}

TYPED_TEST(RightHandSide, AtRandomIsUniform) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  MultiVector<T, Space> b(ctx, 40000, 1);
  random_right_hand_side(ctx, 11, b.view());
  double mean = 0.0;
  double mean_square = 0.0;
  for (const T value : reference::download(ctx, b)) {
    ASSERT_LE(std::abs(value), T{1});
    mean += static_cast<double>(value) / 40000.0;
    mean_square += static_cast<double>(value) * static_cast<double>(value) / 40000.0;
  }
  // Standard errors 0.58 / 200 and 0.30 / 200.
  EXPECT_NEAR(mean, 0.0, 5 * 0.003);
  EXPECT_NEAR(mean_square, 1.0 / 3.0, 5 * 0.0015);
}

TYPED_TEST(RightHandSide, AtRandomHasASeedForEachColumn) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  MultiVector<T, Space> fat(ctx, 9000, 3);
  random_right_hand_side(ctx, 5, fat.view());
  const std::vector<T> values = reference::download(ctx, fat);
  for (Index j = 0; j < 3; ++j) {
    MultiVector<T, Space> thin(ctx, 9000, 1);
    random_right_hand_side(ctx, 5 + static_cast<std::uint64_t>(j), thin.view());
    EXPECT_EQ(column(values, 3, j), column(reference::download(ctx, thin), 1, 0));
  }
  EXPECT_NE(column(values, 3, 0), column(values, 3, 1));
}

TYPED_TEST(RightHandSide, AtRandomIsMadeOfItsStrips) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  MultiVector<T, Space> whole(ctx, 9000, 3);
  random_right_hand_side(ctx, 5, whole.view());
  MultiVector<T, Space> strip(ctx, 2000, 3);
  random_right_hand_side(ctx, 5, strip.view(), 6500);
  const std::vector<T> expected = reference::download(ctx, whole);
  EXPECT_EQ(reference::download(ctx, strip), std::vector<T>(expected.begin() + 3 * 6500, expected.begin() + 3 * 8500));
}

/// Random columns.
template <class T, MemorySpace S>
std::vector<T> random_columns(Context<S>& ctx) {
  MultiVector<T, S> b(ctx, 30011, 2);
  random_right_hand_side(ctx, 1, b.view());
  return reference::download(ctx, b);
}

TYPED_TEST(RightHandSide, HasTheBitsOfOneThread) {
  using T = typename TypeParam::Value;
  Context<Host> one(1);
  const std::vector<T> expected = random_columns<T>(one);
  Context<typename TypeParam::Space> ctx;
  EXPECT_EQ(random_columns<T>(ctx), expected);
  for (const int threads : {2, 3}) {
    Context<Host> host(threads);
    EXPECT_EQ(random_columns<T>(host), expected) << threads << " threads";
  }
}

TYPED_TEST(RightHandSide, MayBeEmpty) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  MultiVector<T, Space> b(ctx, 0, 2);
  EXPECT_NO_THROW(random_right_hand_side(ctx, 1, b.view()));
}

}  // namespace
}  // namespace amgsolve
