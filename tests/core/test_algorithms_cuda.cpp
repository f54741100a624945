#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/radix_pairs_cuda.hpp"
#include "core/scan_pieces_cuda.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

/// The algorithms against those of the host, which have their own tests against naive references.
class CudaAlgorithms : public reference::SpaceTest<Cuda>, public ::testing::WithParamInterface<std::size_t> {
 protected:
  template <class T>
  std::vector<T> random_numbers(std::size_t size, std::uint64_t range) {
    std::vector<T> x(size);
    std::generate(x.begin(), x.end(), [&] { return static_cast<T>(random_() % range); });
    return x;
  }

  /// Against sort_pairs().
  template <class Word>
  void expect_radix_pairs_sorted(int bits) {
    Context<Cuda> ctx;
    Context<Host> host;
    std::vector<std::uint64_t> expected_keys = random_numbers<std::uint64_t>(n, std::uint64_t{1} << bits);
    std::vector<Offset> expected_values = random_numbers<Offset>(n, 1U << 20U);
    WorkspaceScope scope(ctx.workspace());
    RadixPairs<Word> pairs(scope, n);
    const std::vector<Word> keys(expected_keys.begin(), expected_keys.end());
    const std::vector<Word> values(expected_values.begin(), expected_values.end());
    upload<Word, Cuda>(ctx, {keys.data(), n}, {pairs.keys(), n});
    upload<Word, Cuda>(ctx, {values.data(), n}, {pairs.values(), n});
    pairs.sort(ctx, bits);
    sort_pairs(host, {expected_keys.data(), n}, {expected_values.data(), n}, bits);
    const auto sorted = [&](const Word* words) { return reference::download(ctx, Span<const Word, Cuda>(words, n)); };
    EXPECT_EQ(sorted(pairs.keys()), std::vector<Word>(expected_keys.begin(), expected_keys.end())) << bits << " bits";
    EXPECT_EQ(sorted(pairs.values()), std::vector<Word>(expected_values.begin(), expected_values.end())) << bits;
  }

  std::size_t n = GetParam();

 private:
  std::mt19937_64 random_{n};
};

INSTANTIATE_TEST_SUITE_P(Sizes, CudaAlgorithms, ::testing::Values(0, 1, 2, 31, 1000, 8192, 100000, 3000000));

TEST_P(CudaAlgorithms, CountsBecomeOffsets) {
  Context<Cuda> ctx;
  Context<Host> host;
  std::vector<Offset> expected = random_numbers<Offset>(n + 1, Offset{1} << 33);
  auto offsets = reference::upload_buffer(ctx, expected);
  const Offset total = counts_to_offsets(host, {expected.data(), n + 1});
  EXPECT_EQ(counts_to_offsets(ctx, offsets), total);
  EXPECT_EQ(reference::download(ctx, offsets.span()), expected);
}

TEST_P(CudaAlgorithms, CountsBecomeOffsetsInPieces) {
  Context<Cuda> ctx;
  Context<Host> host;
  for (const std::size_t pieces : {1U, 2U, 5U}) {
    std::vector<Offset> expected = random_numbers<Offset>(n + 1, Offset{1} << 33);
    auto offsets = reference::upload_buffer(ctx, expected);
    accumulate_counts(host, {expected.data(), n + 1});
    detail::accumulate_counts(ctx, offsets, n / pieces + 2);
    EXPECT_EQ(reference::download(ctx, offsets.span()), expected) << pieces << " pieces";
  }
}

TEST_P(CudaAlgorithms, Widen) {
  Context<Cuda> ctx;
  const std::vector<Index> narrow = random_numbers<Index>(n, max_index);
  const auto x = reference::upload_buffer(ctx, narrow);
  Buffer<Offset, Cuda> wide(ctx, n);
  widen(ctx, x, wide);
  EXPECT_EQ(reference::download(ctx, wide.span()), std::vector<Offset>(narrow.begin(), narrow.end()));
}

TEST_P(CudaAlgorithms, Reduce) {
  Context<Cuda> ctx;
  Context<Host> host;
  const std::vector<Index> expected = random_numbers<Index>(n, max_index);
  const auto x = reference::upload_buffer(ctx, expected);
  const SumAndMax found = sum_and_max(ctx, x, -5);
  const SumAndMax wanted = sum_and_max(host, {expected.data(), n}, -5);
  EXPECT_EQ(found.sum, wanted.sum);
  EXPECT_EQ(found.max, wanted.max);
  EXPECT_EQ(sum_and_max(ctx, x, max_index).max, max_index);
}

TEST_P(CudaAlgorithms, SortPairsStably) {
  Context<Cuda> ctx;
  Context<Host> host;
  for (const int bits : {0, 1, 8, 11, 40, 64}) {
    const std::uint64_t range = bits == 64 ? ~std::uint64_t{0} : std::uint64_t{1} << bits;
    std::vector<std::uint64_t> expected_keys = random_numbers<std::uint64_t>(n, range);
    std::vector<Offset> expected_values = random_numbers<Offset>(n, 1U << 20U);
    auto keys = reference::upload_buffer(ctx, expected_keys);
    auto values = reference::upload_buffer(ctx, expected_values);
    auto alone = reference::upload_buffer(ctx, expected_keys);
    sort_pairs(ctx, alone, {}, bits);
    sort_pairs(host, {expected_keys.data(), n}, {expected_values.data(), n}, bits);
    sort_pairs(ctx, keys, values, bits);
    EXPECT_EQ(reference::download(ctx, keys.span()), expected_keys) << bits << " bits";
    EXPECT_EQ(reference::download(ctx, values.span()), expected_values) << bits << " bits";
    EXPECT_EQ(reference::download(ctx, alone.span()), expected_keys) << bits << " bits";
  }
}

TEST_P(CudaAlgorithms, RadixPairsStably) {
  for (const int bits : {0, 1, 8, 11, 21, 31}) {  // an odd and an even number of passes
    expect_radix_pairs_sorted<std::uint32_t>(bits);
    expect_radix_pairs_sorted<std::uint64_t>(bits);
  }
}

TEST_P(CudaAlgorithms, SelectFlaggedIndices) {
  Context<Cuda> ctx;
  Context<Host> host;
  for (const std::uint64_t range : {1U, 2U, 3U, 256U}) {
    const std::vector<std::uint8_t> expected_flags = random_numbers<std::uint8_t>(n, range);
    std::vector<Index> expected(n, -1);
    const auto flags = reference::upload_buffer(ctx, expected_flags);
    auto selected = reference::upload_buffer(ctx, expected);
    EXPECT_EQ(select_flagged(ctx, flags, selected),
              select_flagged(host, {expected_flags.data(), n}, {expected.data(), n}));
    EXPECT_EQ(reference::download(ctx, selected.span()), expected) << "and nothing past the last one is written";
    // Wherever they begin.
    const std::size_t first = std::min<std::size_t>(n, 3);
    EXPECT_EQ(select_flagged(ctx, flags.span().subspan(first, n - first), selected),
              select_flagged(host, {expected_flags.data() + first, n - first}, {expected.data(), n}));
    EXPECT_EQ(reference::download(ctx, selected.span()), expected);
  }
}

}  // namespace
}  // namespace amgsolve
