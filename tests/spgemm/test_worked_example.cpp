#include <gtest/gtest.h>

#include <string>

#include "spgemm/spgemm.hpp"
#include "spgemm/statistics.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/spgemm_algorithms.hpp"

// The product that docs/sparse-products.md tells of.
namespace amgsolve {
namespace {

using reference::matrix_from_entries;

template <class I>
class WorkedExample : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(WorkedExample, reference::Instances, reference::InstanceNames);

TYPED_TEST(WorkedExample, IsFormedByEveryAlgorithm) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<S> ctx;
  Context<Host> host;
  const auto A = reference::upload(
      ctx, matrix_from_entries<T>(host, 4, 4,
                                  {{0, 0, 1}, {0, 2, 2}, {1, 1, 3}, {2, 1, 4}, {2, 2, 5}, {3, 0, 6}, {3, 3, 7}}));
  const auto B = reference::upload(
      ctx, matrix_from_entries<T>(host, 4, 4, {{0, 1, 1}, {0, 3, 2}, {1, 0, 4}, {2, 0, 3}, {3, 1, 8}, {3, 2, 9}}));
  const CsrMatrix<T, Host> expected = matrix_from_entries<T>(
      host, 4, 4, {{0, 0, 6}, {0, 1, 1}, {0, 3, 2}, {1, 0, 12}, {2, 0, 31}, {3, 1, 62}, {3, 2, 63}, {3, 3, 12}});
  for (const SpgemmAlgorithm* algorithm : reference::all_algorithms<S>()) {
    SCOPED_TRACE(std::string(algorithm->name));
    SpgemmOptions options;
    options.algorithm = algorithm;
    EXPECT_TRUE(reference::identical(reference::download(ctx, multiply(ctx, A, B, options)), expected));
  }
  const SpgemmStatistics statistics = spgemm_statistics(ctx, A, B, multiply(ctx, A, B));
  EXPECT_EQ(statistics.products, 10);
  EXPECT_EQ(statistics.c_entries, 8);
}

}  // namespace
}  // namespace amgsolve
