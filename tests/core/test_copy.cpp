#include "core/copy.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class Copy : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Copy, reference::Instances, reference::InstanceNames);

/// Nothing, scalars, the largest sizes that take short ways from a device to the host, and one past them.
constexpr std::size_t sizes[] = {0, 1, 64, 65, 128, 129, 512, 513, 1024, 1025, 100000};

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> x(n);
  std::iota(x.begin(), x.end(), T{1});
  return x;
}

TYPED_TEST(Copy, ThereAndBackIsTheSame) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for (const std::size_t n : sizes) {
    const std::vector<T> x = numbers<T>(n);
    const auto there = upload(ctx, Span<const T, Host>(x.data(), n));
    Buffer<T, typename TypeParam::Space> again(ctx, n);
    copy(ctx, there.span(), again.span());
    EXPECT_EQ(reference::download(ctx, again.span()), x);
  }
}

TYPED_TEST(Copy, ZeroIsZero) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for (const std::size_t n : sizes) {
    auto x = reference::upload_buffer(ctx, numbers<T>(n));
    set_zero(ctx, x.span());
    EXPECT_EQ(reference::download(ctx, x.span()), std::vector<T>(n));
  }
}

TYPED_TEST(Copy, ElementIsTheOneAskedFor) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  const auto x = reference::upload_buffer(ctx, numbers<T>(1000));
  EXPECT_EQ(element(ctx, x.span(), 0), T{1});
  EXPECT_EQ(element(ctx, x.span(), 999), T{1000});
}

TYPED_TEST(Copy, SizesMustMatch) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  std::vector<T> host(3);
  Buffer<T, typename TypeParam::Space> x(ctx, 4);
  EXPECT_THROW(upload(ctx, {host.data(), 3}, x.span()), std::invalid_argument);
  EXPECT_THROW(download(ctx, x.span(), {host.data(), 3}), std::invalid_argument);
  EXPECT_THROW(copy(ctx, x.span().subspan(0, 1), x.span().subspan(1, 2)), std::invalid_argument);
}

}  // namespace
}  // namespace amgsolve
