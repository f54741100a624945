#include <gtest/gtest.h>

#include <set>
#include <string>

#include "spgemm/spgemm.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/naive_spgemm.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::identical;
using reference::random_matrix;

class CudaEscGlobal : public reference::SpaceTest<Cuda> {};

CsrMatrix<double, Host> sliced_product(Context<Cuda>& ctx, const CsrMatrix<double, Cuda>& A,
                                       const CsrMatrix<double, Cuda>& B, Offset slice_products) {
  return reference::download(
      ctx, multiply(ctx, A, B, {.algorithm = spgemm_algorithm("esc_global"), .slice_products = slice_products}));
}

TEST_F(CudaEscGlobal, GivesTheSameInSlices) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto A = random_matrix<double>(host, 300, 200, 60, 1);
  const auto B = random_matrix<double>(host, 200, 250, 60, 2);
  const auto expected = reference::naive_spgemm(host, A, B);
  const auto A_there = reference::upload(ctx, A);
  const auto B_there = reference::upload(ctx, B);
  // From a slice for every row to one for all of them.
  for (const Offset slice_products : {1, 7, 100, 1023, 1025, 5000, 1000000}) {
    EXPECT_TRUE(identical(sliced_product(ctx, A_there, B_there, slice_products), expected))
        << slice_products << " products a slice";
  }
}

TEST_F(CudaEscGlobal, CutsSlicesThatFitIntoTheMemoryLimit) {
  Context<Host> host;
  Context<Cuda> ctx;
  // Some 6 million products, which take 200 MB when expanded together; the result has a million entries.
  const auto A = reference::upload(ctx, random_matrix<double>(host, 3000, 600, 600, 3));
  const auto B = reference::upload(ctx, random_matrix<double>(host, 600, 1000, 1000, 4));
  const auto expected = sliced_product(ctx, A, B, 0);
  const std::size_t unlimited_peak = ctx.memory().peak_bytes();
  ctx.workspace().release();
  const std::size_t limit = ctx.memory().bytes_in_use() + (std::size_t{100} << 20);
  ASSERT_LT(limit, unlimited_peak);
  ctx.memory().set_limit(limit);
  EXPECT_TRUE(identical(sliced_product(ctx, A, B, 0), expected));
}

TEST_F(CudaEscGlobal, TimesItsPhases) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto A = reference::upload(ctx, random_matrix<double>(host, 30, 30, 5, 5));
  sliced_product(ctx, A, A, 20);
  std::set<std::string> phases;
  for (const Profile::Node& node : ctx.profile().nodes()) {
    phases.insert(node.phase);
  }
  EXPECT_EQ(phases, (std::set<std::string>{"analysis", "expansion", "sorting", "contraction", "concatenation"}));
}

}  // namespace
}  // namespace amgsolve
