#include <gtest/gtest.h>

#include <vector>

#include "spgemm/spgemm.hpp"
#include "tests/reference/counted_products.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/naive_spgemm.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::identical;
using reference::matrix_from_entries;
using reference::operands_with_products;
using reference::product_there;
using reference::random_matrix;

template <class T>
class CudaThin : public reference::SpaceTest<Cuda> {};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaThin, Values);

TYPED_TEST(CudaThin, TakesColumnsOnBothSidesOfAChunk) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto A = random_matrix<TypeParam>(host, 400, 300, 150, 1);
  for (const Index cols : {1, 2, 31, 32, 33, 64, 511, 512, 513, 1023, 1024, 1025, 2000, 8128, 8129, 20000}) {
    for (const Index longest_row : {1, 7, 400}) {
      const auto B = random_matrix<TypeParam>(host, 300, cols, longest_row, 2);
      EXPECT_TRUE(identical(product_there(ctx, A, B, {.algorithm = spgemm_algorithm("thin")}),
                            reference::naive_spgemm(host, A, B)))
          << cols << " columns, rows of up to " << longest_row;
    }
  }
}

TYPED_TEST(CudaThin, SkipsChunksWithoutEntries) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto [A, B] = operands_with_products<TypeParam>(host, {0, 1, 3, 31, 100, 400, 5000}, max_index);
  EXPECT_TRUE(identical(product_there(ctx, A, B, {.algorithm = spgemm_algorithm("thin")}),
                        reference::naive_spgemm(host, A, B)));
}

TYPED_TEST(CudaThin, SumsManyProductsIntoFewEntries) {
  using T = TypeParam;
  Context<Host> host;
  Context<Cuda> ctx;
  // Rows that a warp works through, and one that it leaves to others.
  for (const Index products : {1000, 65536, 65537}) {
    std::vector<reference::Entry> row;
    std::vector<reference::Entry> columns;
    for (Index k = 0; k < products; ++k) {
      row.push_back({k % 100 == 0 ? 1 : 0, k, 1.0 / (1 + k % 977)});
      row.push_back({2, k, 1.0 / (1 + k % 13)});
      columns.push_back({k, k % 4, k % 3 - 0.9});
    }
    const auto A = matrix_from_entries<T>(host, 4, products, row);
    const auto B = matrix_from_entries<T>(host, products, 5, columns);
    EXPECT_TRUE(identical(product_there(ctx, A, B, {.algorithm = spgemm_algorithm("thin")}),
                          reference::naive_spgemm(host, A, B)))
        << products << " products";
  }
}

}  // namespace
}  // namespace amgsolve
