#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "spgemm/hash/hash_one_pass.hpp"
#include "spgemm/merge/row_merge.hpp"
#include "spgemm/rows/row_size_estimate.hpp"
#include "spgemm/spgemm.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/naive_spgemm.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::close;
using reference::identical;
using reference::matrix_from_entries;

template <class I>
class OnePass : public reference::SpaceTest<Cuda> {};
using CudaInstances = ::testing::Types<reference::Instance<float, Cuda>, reference::Instance<double, Cuda>>;
TYPED_TEST_SUITE(OnePass, CudaInstances, reference::InstanceNames);

/// Rows of min(length, cols) entries at scattered columns, every fifth of them half as long, every seventh empty.
template <class T>
CsrMatrix<T, Host> even_matrix(Context<Host>& ctx, Index rows, Index cols, Index length, unsigned seed) {
  std::vector<reference::Entry> entries;
  const std::vector<T> values = reference::random_values<T>(static_cast<std::size_t>(Offset{rows} * length), seed);
  for (Index i = 0; i < rows; ++i) {
    const Index here = i % 7 == 3 ? 0 : std::min(i % 5 == 2 ? (length + 1) / 2 : length, cols);
    // A step without a common divisor with the number of columns meets each of them once.
    for (Index k = 0; k < here; ++k) {
      const auto col = (Offset{i} * 31 + Offset{k} * 7919) % cols;
      entries.push_back({i, static_cast<Index>(col), static_cast<double>(values[entries.size()])});
    }
  }
  return matrix_from_entries<T>(ctx, rows, cols, entries);
}

template <class T>
Offset product_count(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B) {
  Offset products = 0;
  for (std::size_t k = 0; k < A.col_indices.size(); ++k) {
    const auto row = static_cast<std::size_t>(A.col_indices[k]);
    products += B.row_offsets[row + 1] - B.row_offsets[row];
  }
  return products;
}

TYPED_TEST(OnePass, MergesUpToEightRows) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<Cuda> ctx;
  for (const Index a_length : {1, 4, 5, 6, 8}) {
    // The last one stages fewer entries than the rows of C have.
    for (const Index b_length : {1, 3, 7, 40}) {
      const auto A = even_matrix<T>(host, 1000, 701, a_length, 1);
      const auto B = even_matrix<T>(host, 701, 400, b_length, 2);
      const auto A_there = reference::upload(ctx, A);
      const auto B_there = reference::upload(ctx, B);
      const RowSizeEstimate estimate = estimate_row_sizes(ctx, A_there, B_there);
      ASSERT_TRUE(can_merge_in_one_pass(estimate, B_there));
      const auto product = multiply_row_merge(ctx, A_there, B_there, estimate, {});
      EXPECT_TRUE(identical(reference::download(ctx, product.C), reference::naive_spgemm(host, A, B)))
          << a_length << " rows of " << b_length;
    }
  }
}

TYPED_TEST(OnePass, MergesLongerRowsPieceByPiece) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<Cuda> ctx;
  // From 200 on rows may have so many products that they would be sorted: none of 200 has, most of 600 have.
  for (const Index a_length : {9, 16, 65, 200, 600}) {
    const auto A = even_matrix<T>(host, 300, 701, a_length, 3);
    const auto B = even_matrix<T>(host, 701, 400, 6, 4);
    const auto A_there = reference::upload(ctx, A);
    const auto B_there = reference::upload(ctx, B);
    const RowSizeEstimate estimate = estimate_row_sizes(ctx, A_there, B_there);
    ASSERT_FALSE(can_merge_in_one_pass(estimate, B_there));
    const auto product = multiply_row_merge(ctx, A_there, B_there, estimate, {});
    EXPECT_TRUE(close(reference::download(ctx, product.C), reference::naive_spgemm(host, A, B),
                      reference::product_error_bound(host, A, B)))
        << "rows of " << a_length;
  }
}

TYPED_TEST(OnePass, HashesEvenRows) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<Cuda> ctx;
  // Groups of every size, B rows shorter and longer than a group, tables of several sizes.
  for (const Index a_length : {1, 9, 40, 100}) {
    for (const Index b_length : {1, 3, 8, 17, 33, 70}) {
      const auto A = even_matrix<T>(host, 500, 701, a_length, 5);
      const auto B = even_matrix<T>(host, 701, 500, b_length, 6);
      const auto A_there = reference::upload(ctx, A);
      const auto B_there = reference::upload(ctx, B);
      const auto product = hash_in_one_pass(ctx, A_there, B_there, estimate_row_sizes(ctx, A_there, B_there), {});
      ASSERT_TRUE(product.has_value()) << a_length << " rows of " << b_length;
      EXPECT_TRUE(identical(reference::download(ctx, product->C), reference::naive_spgemm(host, A, B)))
          << a_length << " rows of " << b_length;
      EXPECT_EQ(product->products, product_count(A, B));
    }
  }
}

TYPED_TEST(OnePass, StartsAgainWhereTheGuessWasTooSmall) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<Cuda> ctx;
  const auto A = even_matrix<T>(host, 1000, 701, 8, 7);
  const auto B = even_matrix<T>(host, 701, 400, 5, 8);
  const auto expected = reference::naive_spgemm(host, A, B);
  const auto A_there = reference::upload(ctx, A);
  const auto B_there = reference::upload(ctx, B);
  RowSizeEstimate estimate = estimate_row_sizes(ctx, A_there, B_there);
  estimate.sample.entries = 10;
  EXPECT_TRUE(identical(reference::download(ctx, multiply_row_merge(ctx, A_there, B_there, estimate, {}).C), expected));
  const auto product = hash_in_one_pass(ctx, A_there, B_there, estimate, {});
  ASSERT_TRUE(product.has_value());
  EXPECT_TRUE(identical(reference::download(ctx, product->C), expected));
}

TYPED_TEST(OnePass, GivesUpWhereARowFindsNoRoomInItsTable) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<Cuda> ctx;
  const auto A = even_matrix<T>(host, 1000, 701, 30, 9);
  const auto B = even_matrix<T>(host, 701, 600, 12, 10);
  const auto A_there = reference::upload(ctx, A);
  const auto B_there = reference::upload(ctx, B);
  RowSizeEstimate estimate = estimate_row_sizes(ctx, A_there, B_there);
  estimate.sample.longest = 20;
  EXPECT_FALSE(hash_in_one_pass(ctx, A_there, B_there, estimate, {}).has_value());
  // And still gives the product.
  EXPECT_TRUE(
      identical(reference::download(ctx, multiply(ctx, A_there, B_there, {.algorithm = spgemm_algorithm("hash")})),
                reference::naive_spgemm(host, A, B)));
}

TYPED_TEST(OnePass, EstimatesTheLongestRowsAndAllOfASmallProduct) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<Cuda> ctx;
  const auto A = even_matrix<T>(host, 900, 701, 11, 11);
  const auto B = even_matrix<T>(host, 701, 500, 6, 12);
  const auto C = reference::naive_spgemm(host, A, B);
  const RowSizeEstimate estimate = estimate_row_sizes(ctx, reference::upload(ctx, A), reference::upload(ctx, B));
  EXPECT_EQ(estimate.longest_a, 11);
  EXPECT_EQ(estimate.longest_b, 6);
  EXPECT_EQ(estimate.sample.sampled_rows, 900);
  EXPECT_EQ(estimate.sample.entries, C.nnz());
  EXPECT_EQ(estimate.sample.entries_bound(), C.nnz());
  EXPECT_EQ(estimate.products, product_count(A, B));
}

TYPED_TEST(OnePass, GuessesTheEntriesOfALargeProduct) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<Cuda> ctx;
  const auto A = even_matrix<T>(host, 60000, 7001, 5, 13);
  const auto B = even_matrix<T>(host, 7001, 5000, 4, 14);
  const auto A_there = reference::upload(ctx, A);
  const auto B_there = reference::upload(ctx, B);
  const RowSizeEstimate estimate = estimate_row_sizes(ctx, A_there, B_there);
  const auto product = multiply_row_merge(ctx, A_there, B_there, estimate, {});
  EXPECT_TRUE(identical(reference::download(ctx, product.C), reference::naive_spgemm(host, A, B)));
  EXPECT_GE(estimate.sample.entries_bound(), product.C.nnz());
  EXPECT_LE(static_cast<double>(estimate.sample.entries_bound()), 1.1 * static_cast<double>(product.C.nnz()));
}

}  // namespace
}  // namespace amgsolve
