#include "spgemm/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/naive_spgemm.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::matrix_from_entries;
using reference::random_matrix;

template <class I>
class SpgemmStatisticsTest : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SpgemmStatisticsTest, reference::Instances, reference::InstanceNames);

template <class T>
Offset row_length(const CsrMatrix<T, Host>& A, std::size_t row) {
  return A.row_offsets[row + 1] - A.row_offsets[row];
}

/// By the definitions, in long double, in two passes.
RowRatio naive_ratio(Offset products, Offset entries, const std::vector<long double>& rows) {
  RowRatio result;
  if (entries == 0) {
    return result;
  }
  result.whole = static_cast<double>(products) / static_cast<double>(entries);
  result.min = static_cast<double>(*std::ranges::min_element(rows));
  result.max = static_cast<double>(*std::ranges::max_element(rows));
  long double mean = 0.0L;
  for (const long double x : rows) {
    mean += x / static_cast<long double>(rows.size());
  }
  long double variance = 0.0L;
  for (const long double x : rows) {
    variance += (x - mean) * (x - mean) / static_cast<long double>(rows.size());
  }
  result.mean = static_cast<double>(mean);
  result.deviation = static_cast<double>(std::sqrt(variance));
  return result;
}

template <class T>
SpgemmStatistics naive_statistics(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                  const CsrMatrix<T, Host>& C) {
  SpgemmStatistics result;
  result.rows = A.rows;
  result.a_entries = A.nnz();
  result.c_entries = C.nnz();
  std::vector<long double> expansions;
  std::vector<long double> contractions;
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    Offset products = 0;
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      products += row_length(B, static_cast<std::size_t>(A.col_indices[k]));
    }
    const auto bin = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(products)));
    result.histogram.resize(std::max(result.histogram.size(), bin + 1));
    ++result.histogram[bin];
    result.products += products;
    result.most_products = std::max(result.most_products, products);
    if (row_length(A, i) > 0) {
      expansions.push_back(static_cast<long double>(products) / static_cast<long double>(row_length(A, i)));
    }
    if (row_length(C, i) > 0) {
      contractions.push_back(static_cast<long double>(products) / static_cast<long double>(row_length(C, i)));
    }
  }
  result.expansion = naive_ratio(result.products, result.a_entries, expansions);
  result.contraction = naive_ratio(result.products, result.c_entries, contractions);
  return result;
}

/// Each ratio is rounded once and summed less a shift of its own size: the error of a sum of n is n roundings of the
/// largest term, that of the squares twice as many.
void expect_near(const RowRatio& actual, const RowRatio& expected, Index rows) {
  const double epsilon = std::numeric_limits<double>::epsilon();
  const double bound = static_cast<double>(rows) * epsilon * expected.max;
  EXPECT_EQ(actual.whole, expected.whole);
  EXPECT_NEAR(actual.min, expected.min, epsilon * expected.min);
  EXPECT_NEAR(actual.max, expected.max, epsilon * expected.max);
  EXPECT_NEAR(actual.mean, expected.mean, bound);
  EXPECT_NEAR(actual.deviation * actual.deviation, expected.deviation * expected.deviation, 4 * bound * expected.max);
}

void expect_equal(const SpgemmStatistics& actual, const SpgemmStatistics& expected) {
  EXPECT_EQ(actual.rows, expected.rows);
  EXPECT_EQ(actual.a_entries, expected.a_entries);
  EXPECT_EQ(actual.c_entries, expected.c_entries);
  EXPECT_EQ(actual.products, expected.products);
  EXPECT_EQ(actual.most_products, expected.most_products);
  EXPECT_EQ(actual.histogram, expected.histogram);
  expect_near(actual.expansion, expected.expansion, actual.rows);
  expect_near(actual.contraction, expected.contraction, actual.rows);
}

template <class T, MemorySpace S>
SpgemmStatistics statistics_there(Context<S>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                  const CsrMatrix<T, Host>& C) {
  return spgemm_statistics(ctx, reference::upload(ctx, borrow(A)), reference::upload(ctx, borrow(B)),
                           reference::upload(ctx, borrow(C)));
}

TYPED_TEST(SpgemmStatisticsTest, MatchTheDefinitions) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  // More rows than a block of the reductions, and a single one; some rows of each are empty.
  for (const Index rows : {1, 7, 10000}) {
    const auto A = random_matrix<T>(host, rows, 3000, 200, 1);
    const auto B = random_matrix<T>(host, 3000, 500, 200, 2);
    const auto C = multiply(host, A, B);
    const SpgemmStatistics expected = naive_statistics(A, B, C);
    reference::for_contexts<typename TypeParam::Space>(
        [&](auto& ctx) { expect_equal(statistics_there(ctx, A, B, C), expected); });
  }
}

TYPED_TEST(SpgemmStatisticsTest, HaveTheSameBitsForAnyThreadsAndOnADevice) {
  using T = typename TypeParam::Value;
  Context<Host> host(1);
  const auto A = random_matrix<T>(host, 20000, 20000, 300, 3);
  const auto C = multiply(host, A, A);
  const SpgemmStatistics expected = spgemm_statistics(host, A, A, C);
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    const SpgemmStatistics actual = statistics_there(ctx, A, A, C);
    EXPECT_EQ(std::memcmp(&actual.expansion, &expected.expansion, sizeof(RowRatio)), 0);
    EXPECT_EQ(std::memcmp(&actual.contraction, &expected.contraction, sizeof(RowRatio)), 0);
    EXPECT_EQ(actual.histogram, expected.histogram);
  });
}

TYPED_TEST(SpgemmStatisticsTest, OfRowsThatAreAlikeDeviateByExactlyNothing) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // Rows of A have 3 entries, those of B 2 in the same columns: 6 products that become 2 entries.
  constexpr Index n = 9000;
  std::vector<reference::Entry> a;
  std::vector<reference::Entry> b;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 3; ++j) {
      a.push_back({i, (i + j) % n, 1.0});
    }
    b.push_back({i, 0, 1.0});
    b.push_back({i, 1, 1.0});
  }
  const auto A = matrix_from_entries<T>(host, n, n, a);
  const auto B = matrix_from_entries<T>(host, n, 2, b);
  const SpgemmStatistics statistics = statistics_there(ctx, A, B, multiply(host, A, B));
  EXPECT_EQ(statistics.products, 6 * n);
  EXPECT_EQ(statistics.most_products, 6);
  EXPECT_EQ(statistics.histogram, (std::vector<Offset>{0, 0, 0, n}));
  for (const RowRatio& ratio : {statistics.expansion, statistics.contraction}) {
    EXPECT_EQ(ratio.whole, ratio.min);
    EXPECT_EQ(ratio.whole, ratio.max);
    EXPECT_EQ(ratio.whole, ratio.mean);
    EXPECT_EQ(ratio.deviation, 0.0);
  }
  EXPECT_EQ(statistics.expansion.whole, 2.0);
  EXPECT_EQ(statistics.contraction.whole, 3.0);
}

TYPED_TEST(SpgemmStatisticsTest, OfEmptyProductsAreZero) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const Index rows : {0, 5}) {
    const auto A = matrix_from_entries<T>(host, rows, 4, {});
    const auto B = random_matrix<T>(host, 4, 6, 3, 1);
    const SpgemmStatistics statistics = statistics_there(ctx, A, B, multiply(host, A, B));
    EXPECT_EQ(statistics.products, 0);
    EXPECT_EQ(statistics.histogram, rows == 0 ? std::vector<Offset>{} : std::vector<Offset>{rows});
    EXPECT_EQ(statistics.expansion.whole, 0.0);
    EXPECT_EQ(statistics.contraction.mean, 0.0);
  }
}

TYPED_TEST(SpgemmStatisticsTest, RefuseMatricesOfAnotherProduct) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = random_matrix<T>(host, 6, 4, 3, 1);
  const auto B = random_matrix<T>(host, 4, 5, 3, 2);
  const auto C = random_matrix<T>(host, 6, 5, 3, 3);
  EXPECT_NO_THROW(statistics_there(ctx, A, B, C));
  EXPECT_THROW(statistics_there(ctx, A, A, C), std::invalid_argument);
  EXPECT_THROW(statistics_there(ctx, A, B, A), std::invalid_argument);
}

}  // namespace
}  // namespace amgsolve
