#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "spgemm/galerkin_plan.hpp"
#include "spgemm/nodes/node_product.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::identical;
using reference::random_matrix;

template <class I>
class SpgemmByNodes : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SpgemmByNodes, reference::Instances, reference::InstanceNames);

/// Every entry of a pattern as a dense block of random values.
template <class T>
CsrMatrix<T, Host> of_nodes(Context<Host>& host, const CsrMatrix<T, Host>& pattern, Index rows, Index cols,
                            unsigned seed) {
  std::vector<reference::Entry> entries;
  const auto values = reference::random_values<T>(static_cast<std::size_t>(pattern.nnz() * rows * cols), seed);
  for (Index node = 0; node < pattern.rows; ++node) {
    for (Offset k = pattern.row_offsets[static_cast<std::size_t>(node)];
         k < pattern.row_offsets[static_cast<std::size_t>(node) + 1]; ++k) {
      const Index first = pattern.col_indices[static_cast<std::size_t>(k)] * cols;
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j) {
          entries.push_back({node * rows + i, first + j, static_cast<double>(values[entries.size()])});
        }
      }
    }
  }
  return reference::matrix_from_entries<T>(host, pattern.rows * rows, pattern.cols * cols, std::move(entries));
}

constexpr NodeSizes all_sizes[] = {{2, 2, 3}, {3, 2, 3}, {3, 3, 6}, {6, 3, 6}, {6, 6, 6},
                                   {1, 3, 2}, {4, 1, 1}, {5, 4, 1}, {1, 1, 5}};

template <class T, class S>
void expect_same_bits(Context<S>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                      const SpgemmOptions& options) {
  const auto A_there = reference::upload(ctx, borrow(A));
  const auto B_there = reference::upload(ctx, borrow(B));
  const auto expected = reference::download(ctx, multiply(ctx, A_there, B_there));
  auto by_nodes = multiply_by_nodes(ctx, A_there, B_there, options);
  ASSERT_TRUE(by_nodes.has_value());
  EXPECT_TRUE(identical(reference::download(ctx, std::move(by_nodes->C)), expected));
  EXPECT_TRUE(identical(reference::download(ctx, multiply(ctx, A_there, B_there, options)), expected));
}

TYPED_TEST(SpgemmByNodes, GivesTheBitsOfOtherProducts) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto a = random_matrix<T>(host, 150, 130, 40, 1);
  const auto b = random_matrix<T>(host, 130, 170, 30, 2);
  for (const NodeSizes& sizes : all_sizes) {
    SCOPED_TRACE(testing::Message() << sizes.rows << " x " << sizes.inner << " x " << sizes.columns);
    expect_same_bits(ctx, of_nodes(host, a, sizes.rows, sizes.inner, 3),
                     of_nodes(host, b, sizes.inner, sizes.columns, 4), {.nodes = sizes});
  }
}

TYPED_TEST(SpgemmByNodes, SumsRowsThatAreLongerThanTheSharedMemory) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto a = random_matrix<T>(host, 40, 60, 50, 5);
  for (const Index longest : {20, 700}) {  // of B: by few threads, and by many
    const auto b = random_matrix<T>(host, 60, 900, longest, 6);
    expect_same_bits(ctx, of_nodes(host, a, 6, 3, 7), of_nodes(host, b, 3, 6, 8), {.nodes = {6, 3, 6}});
  }
}

TYPED_TEST(SpgemmByNodes, TakesMatricesWithoutRowsOrEntries) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto empty = [&](Index rows, Index cols) { return reference::matrix_from_entries<T>(host, rows, cols, {}); };
  expect_same_bits(ctx, empty(0, 4), empty(4, 6), {.nodes = {2, 2, 3}});
  expect_same_bits(ctx, empty(6, 0), empty(0, 6), {.nodes = {2, 2, 3}});
  expect_same_bits(ctx, empty(6, 4), empty(4, 6), {.nodes = {2, 2, 3}});
}

TYPED_TEST(SpgemmByNodes, LooksWhetherBlocksAreWhole) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const SpgemmOptions options{.nodes = {2, 2, 2}};
  const auto whole = of_nodes(host, random_matrix<T>(host, 40, 40, 20, 9), 2, 2, 10);
  const auto with_other_entries = [&](const auto& change) {
    std::vector<reference::Entry> entries;
    for (Index row = 0; row < whole.rows; ++row) {
      for (Offset k = whole.row_offsets[static_cast<std::size_t>(row)];
           k < whole.row_offsets[static_cast<std::size_t>(row) + 1]; ++k) {
        entries.push_back({row, whole.col_indices[static_cast<std::size_t>(k)],
                           static_cast<double>(whole.values[static_cast<std::size_t>(k)])});
      }
    }
    change(entries);
    return reference::matrix_from_entries<T>(host, whole.rows, whole.cols, std::move(entries));
  };
  const auto without_a_block_of_a_row = with_other_entries([](auto& entries) {
    const Index row = entries[entries.size() / 2].row;
    std::erase_if(entries, [&](const reference::Entry& entry) { return entry.row == row; });
  });
  const auto without_the_last_entry = with_other_entries([](auto& entries) { entries.pop_back(); });
  // As many entries in every row, and not in the columns of blocks.
  const auto shifted = with_other_entries([&](auto& entries) {
    for (reference::Entry& entry : entries) {
      entry.col = whole.cols - 1 - (entry.col == 0 ? whole.cols - 1 : entry.col - 1);
    }
  });
  for (const auto* const broken : {&without_a_block_of_a_row, &without_the_last_entry, &shifted}) {
    for (const auto& [A, B] : {std::pair(broken, &whole), std::pair(&whole, broken)}) {
      const auto A_there = reference::upload(ctx, borrow(*A));
      const auto B_there = reference::upload(ctx, borrow(*B));
      EXPECT_FALSE(multiply_by_nodes(ctx, A_there, B_there, options).has_value());
      EXPECT_TRUE(identical(reference::download(ctx, multiply(ctx, A_there, B_there, options)),
                            reference::download(ctx, multiply(ctx, A_there, B_there))));
    }
  }
  const auto there = reference::upload(ctx, borrow(whole));
  EXPECT_FALSE(multiply_by_nodes(ctx, there, there, {}).has_value());
  EXPECT_FALSE(multiply_by_nodes(ctx, there, there, {.nodes = {8, 8, 8}}).has_value());
  EXPECT_FALSE(multiply_by_nodes(ctx, there, there, {.nodes = {3, 3, 3}}).has_value());
}

TYPED_TEST(SpgemmByNodes, GivesGalerkinProductsTheirBits) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = of_nodes(host, random_matrix<T>(host, 90, 90, 12, 11), 3, 3, 12);
  const auto P = of_nodes(host, random_matrix<T>(host, 90, 20, 3, 13), 3, 6, 14);
  const auto R_there = reference::upload(ctx, transpose(host, P));
  const auto A_there = reference::upload(ctx, borrow(A));
  const auto P_there = reference::upload(ctx, borrow(P));
  const SpgemmOptions options{.nodes = {3, 3, 6}};
  const auto expected = reference::download(ctx, galerkin_product(ctx, R_there, A_there, P_there));
  EXPECT_TRUE(identical(reference::download(ctx, galerkin_product(ctx, R_there, A_there, P_there, options)), expected));
  const GalerkinPlan<T, typename TypeParam::Space> plan(ctx, R_there, A_there, P_there, options);
  EXPECT_TRUE(identical(reference::download(ctx, plan.multiply(ctx, R_there, A_there, P_there)), expected));
}

}  // namespace
}  // namespace amgsolve
