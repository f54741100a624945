#include "amg/multiply_add.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class MultiplyAdd : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(MultiplyAdd, reference::Instances, reference::InstanceNames);

/// Numbers of values around those that a thread works on at a time, and enough for several threads.
TYPED_TEST(MultiplyAdd, RepeatsWithProductAndSumRoundedApart) {
  using T = typename TypeParam::Value;
  const T a = T{1} / T{3};
  const T b = static_cast<T>(0.7);
  for (const int n : {0, 1, 5, 128, 255, 1000}) {
    std::vector<T> values(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<T>(i) - static_cast<T>(0.1);
    }
    for (const int rounds : {0, 1, 500}) {
      SCOPED_TRACE(::testing::Message() << n << " values, " << rounds << " rounds");
      std::vector<T> expected = values;
      for (T& x : expected) {
        for (int round = 0; round < rounds; ++round) {
          const volatile T product = a * x;
          x = product + b;
        }
      }
      reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
        auto x = reference::upload_buffer(ctx, values);
        repeat_multiply_add(ctx, a, b, rounds, x.span());
        EXPECT_EQ(reference::download(ctx, x.span()), expected);
      });
    }
  }
}

}  // namespace
}  // namespace amgsolve
