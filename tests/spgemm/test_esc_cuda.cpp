#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "spgemm/esc/esc_rows_cuda.hpp"
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
class CudaEsc : public reference::SpaceTest<Cuda> {};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaEsc, Values);

/// Numbers of products on both sides of every size that a kernel treats differently.
const std::vector<Index> boundaries = {0,    1,    2,    7,    8,    9,    15,   16,   17,   31,   32,   33,  63,  64,
                                       65,   127,  128,  129,  255,  256,  257,  511,  512,  513,  735,  736, 737, 1023,
                                       1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 6143, 6144, 6145, 8000};

TYPED_TEST(CudaEsc, FormsRowsOnBothSidesOfEveryLimit) {
  Context<Host> host;
  Context<Cuda> ctx;
  // Columns below 2²² and 2¹⁹ are the last that leave room for a product's number in 32 bits.
  for (const Index cols : {71, 3000, 1 << 19, (1 << 19) + 1, 1 << 22, (1 << 22) + 1, max_index}) {
    const auto [A, B] = operands_with_products<TypeParam>(host, boundaries, cols);
    EXPECT_TRUE(identical(product_there(ctx, A, B, {.algorithm = spgemm_algorithm("esc")}),
                          reference::naive_spgemm(host, A, B)))
        << cols << " columns";
  }
}

TYPED_TEST(CudaEsc, GivesTheSameForAllLimits) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto [A, B] = operands_with_products<TypeParam>(host, boundaries, 3000);
  const auto expected = reference::naive_spgemm(host, A, B);
  for (const std::array<Offset, 3>& bins : {std::array<Offset, 3>{0, 0, 0},
                                            {1, 2, 3},
                                            {8, 100, 1000},
                                            {32, 32, 32},
                                            {32, 32, 6144},
                                            {32, 1024, 1024},
                                            {0, 1024, 6144},
                                            {0, 0, 6144},
                                            {20, 129, 3000},
                                            {32, 1024, 6144}}) {
    EXPECT_TRUE(identical(product_there(ctx, A, B, {.algorithm = spgemm_algorithm("esc"), .bins = bins}), expected))
        << bins[0] << ", " << bins[1] << ", " << bins[2];
  }
}

TYPED_TEST(CudaEsc, TakesRowsOfOneGroupInTheirOrder) {
  Context<Host> host;
  Context<Cuda> ctx;
  for (const Index products : {1, 30, 100, 700, 5000}) {
    const auto [A, B] = operands_with_products<TypeParam>(host, std::vector<Index>(321, products), 500);
    EXPECT_TRUE(identical(product_there(ctx, A, B, {.algorithm = spgemm_algorithm("esc")}),
                          reference::naive_spgemm(host, A, B)))
        << products << " products a row";
  }
}

TYPED_TEST(CudaEsc, SumsManyProductsIntoOneEntry) {
  using T = TypeParam;
  Context<Host> host;
  Context<Cuda> ctx;
  for (const Index products : {30, 700, 6000, 20000}) {
    std::vector<reference::Entry> row;
    std::vector<reference::Entry> column;
    for (Index k = 0; k < products; ++k) {
      row.push_back({0, k, 1.0 / (1 + k % 977)});
      column.push_back({k, 4, k % 3 - 0.9});
    }
    const auto A = matrix_from_entries<T>(host, 1, products, row);
    const auto B = matrix_from_entries<T>(host, products, 5, column);
    const auto expected = reference::naive_spgemm(host, A, B);
    for (const SpgemmAlgorithm* algorithm : {spgemm_algorithm("esc"), spgemm_algorithm("esc_fused")}) {
      EXPECT_TRUE(identical(product_there(ctx, A, B, {.algorithm = algorithm}), expected)) << products << " products";
    }
  }
}

TYPED_TEST(CudaEsc, GivesTheSameInSlices) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto [A, B] = operands_with_products<TypeParam>(host, boundaries, 3000);
  const auto expected = reference::naive_spgemm(host, A, B);
  for (const Offset slice_products : {1, 50, 1000, 7000, 100000}) {
    EXPECT_TRUE(identical(
        product_there(ctx, A, B, {.algorithm = spgemm_algorithm("esc"), .slice_products = slice_products}), expected))
        << slice_products << " products a slice";
  }
}

TYPED_TEST(CudaEsc, RefusesLimitsPastWhatItsKernelsHold) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto A = random_matrix<TypeParam>(host, 5, 5, 3, 1);
  const auto message = [&](std::array<Offset, 3> bins) -> std::string {
    try {
      product_there(ctx, A, A, {.algorithm = spgemm_algorithm("esc"), .bins = bins});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({33, 736, 6144}),
            "sparse product by 'esc': four lanes can form rows of at most 32 products, not 33");
  EXPECT_EQ(message({32, 1025, 6144}),
            "sparse product by 'esc': a warp can form rows of at most 1024 products, not 1025");
  EXPECT_EQ(message({32, 736, 6145}),
            "sparse product by 'esc': a block can form rows of at most 6144 products, not 6145");
  EXPECT_EQ(message({32, 31, 6144}),
            "sparse product by 'esc': the limits of the bins must ascend from 0: 32, 31, 6144");
  EXPECT_EQ(message({-1, 736, 6144}),
            "sparse product by 'esc': the limits of the bins must ascend from 0: -1, 736, 6144");
}

TEST(CudaEscBlocks, HaveRoomOnEveryDevice) {
  constexpr Index narrow = 1 << 19;
  constexpr ComputeCapability small{8, 6};
  for (const ComputeCapability device : {ComputeCapability{8, 0}, small, {8, 9}, {9, 0}, {12, 0}}) {
    EXPECT_EQ(esc::most_block_products_of<double>(narrow, device), 6144);
    EXPECT_EQ(esc::most_block_products_of<float>(max_index, device), 6144);
    EXPECT_EQ(esc::most_block_products_of<double>(narrow + 1, device),
              shared_bytes(device) == shared_bytes(small) ? 4096 : 6144);
  }
}

class CudaEscPhases : public reference::SpaceTest<Cuda> {};

TEST_F(CudaEscPhases, AreThoseOfTheGroupsThereAre) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto [A, B] = operands_with_products<double>(host, boundaries, 3000);
  product_there(ctx, A, B, {.algorithm = spgemm_algorithm("esc")});
  std::set<std::string> phases;
  for (const Profile::Node& node : ctx.profile().nodes()) {
    if (node.parent < 0) {
      phases.insert(node.phase);
    }
  }
  EXPECT_EQ(phases, (std::set<std::string>{"analysis", "lanes", "warps", "blocks", "large rows", "reorder"}));
}

TEST_F(CudaEscPhases, HaveSlicesOfLargeRows) {
  Context<Host> host;
  const auto [A, B] = operands_with_products<double>(host, {8000, 8000, 8000}, 3000);
  for (const Offset slice_products : {0, 8000}) {
    Context<Cuda> ctx;
    product_there(ctx, A, B, {.algorithm = spgemm_algorithm("esc"), .slice_products = slice_products});
    const bool in_slices = std::ranges::any_of(ctx.profile().nodes(),
                                               [](const Profile::Node& node) { return node.phase == "concatenation"; });
    EXPECT_EQ(in_slices, slice_products > 0);
  }
}

TEST_F(CudaEscPhases, CutSlicesThatFitIntoTheMemoryLimit) {
  Context<Host> host;
  Context<Cuda> ctx;
  // 7.5 million products, which take 90 MB together; the result has 750,000 entries.
  const auto operands = operands_with_products<double>(host, std::vector<Index>(1500, 5000), 500);
  const auto A = reference::upload(ctx, operands.A);
  const auto B = reference::upload(ctx, operands.B);
  const auto expected = reference::download(ctx, multiply(ctx, A, B, {.algorithm = spgemm_algorithm("hash")}));
  ctx.workspace().release();
  ctx.memory().set_limit(ctx.memory().bytes_in_use() + (std::size_t{60} << 20));
  EXPECT_TRUE(
      identical(reference::download(ctx, multiply(ctx, A, B, {.algorithm = spgemm_algorithm("esc")})), expected));
  EXPECT_TRUE(std::ranges::any_of(ctx.profile().nodes(),
                                  [](const Profile::Node& node) { return node.phase == "concatenation"; }));
}

template <class T>
class CudaEscFused : public reference::SpaceTest<Cuda> {};
TYPED_TEST_SUITE(CudaEscFused, Values);

TYPED_TEST(CudaEscFused, FormsRowsInAsManyRoundsAsTheyTake) {
  Context<Host> host;
  Context<Cuda> ctx;
  // Up to 256 columns there is room for every row; past them the longest rows make it leave the work to esc.
  for (const Index cols : {71, 256, 257, 3000, 1 << 23, (1 << 23) + 1, max_index}) {
    const auto [A, B] = operands_with_products<TypeParam>(host, boundaries, cols);
    EXPECT_TRUE(identical(product_there(ctx, A, B, {.algorithm = spgemm_algorithm("esc_fused")}),
                          reference::naive_spgemm(host, A, B)))
        << cols << " columns";
  }
}

TYPED_TEST(CudaEscFused, TakesFewAndManyRows) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto B = random_matrix<TypeParam>(host, 50, 60, 20, 2);
  for (const Index rows : {1, 3, 4, 5, 31, 32, 33, 1000, 16384, 16385}) {
    const auto A = random_matrix<TypeParam>(host, rows, 50, 20, 3);
    EXPECT_TRUE(identical(product_there(ctx, A, B, {.algorithm = spgemm_algorithm("esc_fused")}),
                          reference::naive_spgemm(host, A, B)))
        << rows << " rows";
  }
}

}  // namespace
}  // namespace amgsolve
