#include "core/global_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/superaccumulator.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

/// Two ranks, of which the other one has the same words: adds them to this one's.
class Twice final : public Communicator {
 public:
  using Communicator::exchange;
  using Communicator::gather_bytes;
  using Communicator::sum_ranks;

  int rank() const override { return 0; }
  int size() const override { return 2; }
  void sum_ranks(Span<std::int64_t, Host> x) const override {
    std::transform(x.begin(), x.end(), x.begin(), [](std::int64_t word) { return 2 * word; });
  }
  void sum_ranks(Span<std::int64_t, Cuda>, CUstream_st*) const override {}
  std::int64_t max(std::int64_t local) const override { return local; }
  void gather_bytes(std::span<const std::byte>, std::span<const std::size_t>, std::span<std::byte>) const override {}
  void all_to_all(std::span<const std::int64_t>, std::span<std::int64_t>) const override {}
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) const override {}
};

template <class Instance>
class GlobalSum : public reference::SpaceTest<typename Instance::Space> {};
TYPED_TEST_SUITE(GlobalSum, reference::DoubleInstances, reference::InstanceNames);

template <MemorySpace S>
std::vector<double> sums(Context<S>& ctx, const std::vector<double>& partial, std::size_t columns = 1) {
  Buffer<double, S> result(ctx, columns);
  sum_of_blocks<S>(ctx, reference::upload_buffer(ctx, partial), result);
  return reference::download(ctx, result.span());
}

TYPED_TEST(GlobalSum, IsExactAndRoundedOnce) {
  Context<typename TypeParam::Space> ctx;
  const auto sum = [&](const std::vector<double>& terms) { return sums(ctx, terms).front(); };
  EXPECT_EQ(sum({}), 0.0);
  EXPECT_EQ(sum({0.0, -0.0}), 0.0);
  EXPECT_EQ(sum({1e300, 1.0, -1e300}), 1.0);
  EXPECT_EQ(sum({1e300, -1.0, -1e300}), -1.0);
  EXPECT_EQ(sum({largest, largest, -largest, -largest, smallest}), smallest);
  EXPECT_EQ(sum({largest, largest}), infinity);
  EXPECT_EQ(sum({-largest, -largest}), -infinity);
  EXPECT_EQ(sum({smallest, smallest, smallest}), 3.0 * smallest);
  EXPECT_EQ(sum({-0x1p-1022, smallest}), -0x1p-1022 + smallest);
  EXPECT_EQ(sum({0x1p-1022, -smallest}), 0x1p-1022 - smallest);
  EXPECT_EQ(sum({0x1p32, -0x1p-32}), 0x1p32 - 0x1p-32);
  // Halfway between two doubles to the even one, a trace more or less to the nearer one.
  EXPECT_EQ(sum({1.0, 0x1p-53}), 1.0);
  EXPECT_EQ(sum({1.0 + 0x1p-52, 0x1p-53}), 1.0 + 0x1p-51);
  EXPECT_EQ(sum({1.0, 0x1p-53, smallest}), 1.0 + 0x1p-52);
  EXPECT_EQ(sum({1.0, 0x1p-53, -smallest}), 1.0);
  for (int exponent = -54; exponent >= -1074; --exponent) {
    EXPECT_EQ(sum({1.0, 0x1p-53, std::ldexp(1.0, exponent)}), 1.0 + 0x1p-52) << exponent;
  }
  EXPECT_EQ(sum({-1.0, -0x1p-53, -smallest}), -1.0 - 0x1p-52);
  EXPECT_EQ(sum({2.0, -0x1p-53}), 2.0);
  EXPECT_EQ(sum({0x1.fffffffffffffp0, 0x1p-53}), 2.0);
}

TYPED_TEST(GlobalSum, CarriesFromAnyDigitToTheNext) {
  Context<typename TypeParam::Space> ctx;
  for (int exponent = -1074; exponent < 1023; ++exponent) {
    const double x = std::ldexp(1.0, exponent);
    EXPECT_EQ(sums(ctx, {x, x}).front(), 2.0 * x) << exponent;
    EXPECT_EQ(sums(ctx, {-x, -x}).front(), -2.0 * x) << exponent;
    EXPECT_EQ(sums(ctx, {x, x, -smallest}).front(), 2.0 * x - smallest) << exponent;
  }
}

TYPED_TEST(GlobalSum, PassesOnWhatIsNotFinite) {
  Context<typename TypeParam::Space> ctx;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sums(ctx, {1.0, infinity, 2.0}).front(), infinity);
  EXPECT_EQ(sums(ctx, {1.0, -infinity}).front(), -infinity);
  EXPECT_TRUE(std::isnan(sums(ctx, {infinity, -infinity}).front()));
  EXPECT_TRUE(std::isnan(sums(ctx, {1.0, nan, 1.0}).front()));
}

TYPED_TEST(GlobalSum, DoesNotDependOnTheOrder) {
  Context<typename TypeParam::Space> ctx;
  std::vector<double> terms = reference::random_values<double>(30011, 1);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i] = std::ldexp(terms[i], static_cast<int>(i % 200) - 100);
  }
  const auto forward = sums(ctx, terms);
  std::reverse(terms.begin(), terms.end());
  EXPECT_EQ(sums(ctx, terms), forward);
  Context<Host> host;
  EXPECT_EQ(sums(host, terms), forward) << "host and device differ";
}

TYPED_TEST(GlobalSum, KeepsColumnsApart) {
  Context<typename TypeParam::Space> ctx;
  EXPECT_EQ(sums(ctx, {1.0, 2.0, -4.0, -8.0, 0.5, 0.25}, 3), (std::vector<double>{3.0, -12.0, 0.75}));
  EXPECT_EQ(sums(ctx, {}, 2), (std::vector<double>{0.0, 0.0}));
}

TEST(GlobalSumOfRanks, AddsTheirAccumulators) {
  const Twice communicator;
  Context<Host> ctx(1, communicator);
  EXPECT_EQ(sums(ctx, {1e300, 0x1p-53, 1.0, -1e300}).front(), 2.0);
  EXPECT_EQ(ctx.communicator().sum(21), 42);
}

}  // namespace
}  // namespace amgsolve
