#include "spmv/random.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class Instance>
class Random : public reference::SpaceTest<typename Instance::Space> {};
TYPED_TEST_SUITE(Random, reference::Instances, reference::InstanceNames);

TYPED_TEST(Random, IsAFunctionOfSeedAndPosition) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  MultiVector<T, typename TypeParam::Space> x(ctx, 10007, 3);
  fill_random<T>(ctx, 42, x);
  std::vector<T> expected(x.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<T>(random_uniform(42, i));
  }
  EXPECT_EQ(reference::download(ctx, x), expected);
  fill_random<T>(ctx, 43, x);
  EXPECT_NE(reference::download(ctx, x), expected);
  constexpr std::uint64_t far = std::uint64_t{1} << 40;
  fill_random<T>(ctx, 42, x, far);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<T>(random_uniform(42, far + i));
  }
  EXPECT_EQ(reference::download(ctx, x), expected);
}

TEST(RandomUniform, HasTheMomentsOfTheUniformDistribution) {
  constexpr int n = 1000000;
  double sum = 0.0;
  double squares = 0.0;
  double products = 0.0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double x = random_uniform(7, i);
    ASSERT_GE(x, -1.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
    products += x * random_uniform(8, i);
  }
  // Six standard deviations of each mean: √(1/3), √(1/5 − 1/9) and 1/3 over √n.
  EXPECT_NEAR(sum / n, 0.0, 6.0 * 0.578e-3);
  EXPECT_NEAR(squares / n, 1.0 / 3.0, 6.0 * 0.299e-3);
  EXPECT_NEAR(products / n, 0.0, 6.0 * 0.334e-3);
}

}  // namespace
}  // namespace amgsolve
