#include "core/algorithms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace amgsolve {
namespace {

/// Sizes around the blocks that the algorithms work by, and thread counts that do not divide them.
class Algorithms : public ::testing::TestWithParam<std::tuple<std::size_t, int>> {
 protected:
  std::size_t n = std::get<0>(GetParam());
  Context<Host> ctx{std::get<1>(GetParam())};
  std::mt19937_64 random{n};
};

INSTANTIATE_TEST_SUITE_P(SizesAndThreads, Algorithms,
                         ::testing::Combine(::testing::Values(0, 1, 2, 1000, 8192, 16384, 16385, 200000),
                                            ::testing::Values(1, 2, 5)));

TEST_P(Algorithms, CountsBecomeOffsets) {
  std::vector<Offset> offsets(n + 1);
  std::generate(offsets.begin(), offsets.end(), [&] { return static_cast<Offset>(random() % 10); });
  std::vector<Offset> expected(n + 1, 0);
  std::partial_sum(offsets.begin() + 1, offsets.end(), expected.begin() + 1);
  std::vector<Offset> same = offsets;
  EXPECT_EQ(counts_to_offsets(ctx, {offsets.data(), offsets.size()}), expected.back());
  EXPECT_EQ(offsets, expected);
  accumulate_counts(ctx, {same.data(), same.size()});
  EXPECT_EQ(same, expected);
}

TEST_P(Algorithms, Widen) {
  std::vector<Index> narrow(n);
  std::generate(narrow.begin(), narrow.end(), [&] { return static_cast<Index>(random()); });
  std::vector<Offset> wide(n);
  widen(ctx, {narrow.data(), n}, {wide.data(), n});
  EXPECT_EQ(wide, std::vector<Offset>(narrow.begin(), narrow.end()));
  EXPECT_THROW(widen(ctx, {narrow.data(), n}, {wide.data(), n + 1}), std::invalid_argument);
}

TEST_P(Algorithms, SumsPast32Bits) {
  const std::vector<Index> x(n, max_index);
  EXPECT_EQ(sum_and_max(ctx, {x.data(), n}).sum, static_cast<Offset>(n) * max_index);
}

TEST_P(Algorithms, FindsTheLargest) {
  std::vector<Index> x(n, -7);
  EXPECT_EQ(sum_and_max(ctx, {x.data(), n}, -9).max, n == 0 ? -9 : -7);
  EXPECT_EQ(sum_and_max(ctx, {x.data(), n}).max, 0);
  if (n > 0) {
    x.back() = 5;
    EXPECT_EQ(sum_and_max(ctx, {x.data(), n}, -9).max, 5);
  }
}

TEST_P(Algorithms, SortsPairsStably) {
  for (const int bits : {0, 1, 8, 11, 64}) {
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    std::vector<std::pair<std::uint64_t, Offset>> expected(n);
    std::vector<std::uint64_t> keys(n);
    std::vector<Offset> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = random() & mask;
      values[i] = static_cast<Offset>(i);
      expected[i] = {keys[i], values[i]};
    }
    std::sort(expected.begin(), expected.end());
    std::vector<std::uint64_t> alone = keys;
    sort_pairs(ctx, {alone.data(), n}, {}, bits);
    sort_pairs(ctx, {keys.data(), n}, {values.data(), n}, bits);
    EXPECT_EQ(alone, keys) << bits << " bits";
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(keys[i], expected[i].first) << bits << " bits, position " << i;
      ASSERT_EQ(values[i], expected[i].second) << bits << " bits, position " << i;
    }
  }
}

TEST_P(Algorithms, SelectsFlaggedIndices) {
  std::vector<std::uint8_t> flags(n);
  std::generate(flags.begin(), flags.end(), [&] { return static_cast<std::uint8_t>(random() % 3); });
  std::vector<Index> expected;
  for (std::size_t i = 0; i < n; ++i) {
    if (flags[i] != 0) {
      expected.push_back(static_cast<Index>(i));
    }
  }
  std::vector<Index> selected(n);
  ASSERT_EQ(select_flagged(ctx, {flags.data(), n}, {selected.data(), n}), static_cast<Offset>(expected.size()));
  selected.resize(expected.size());
  EXPECT_EQ(selected, expected);
}

}  // namespace
}  // namespace amgsolve
