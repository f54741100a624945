#include "spmv/transpose_plan.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "spmv/conversions.hpp"
#include "tests/reference/error_of.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::error_of;
using reference::identical;

template <class I>
class TransposePlans : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(TransposePlans, reference::Instances, reference::InstanceNames);

TYPED_TEST(TransposePlans, TransposesNewValues) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    for (const reference::Shape& shape : reference::shapes) {
      const auto A = reference::random_matrix<T>(host, shape.rows, shape.cols, 100, 1);
      const TransposePlan plan(ctx, reference::upload(ctx, borrow(A)));
      const auto transposed = [&](const CsrMatrix<T, Host>& B) {
        return reference::download(ctx, plan.transpose(ctx, reference::upload(ctx, borrow(B))));
      };
      EXPECT_TRUE(identical(transposed(A), transpose(host, A)));
      for (const unsigned seed : {2u, 3u}) {
        const auto B = reference::with_new_values(host, A, seed);
        EXPECT_TRUE(identical(transposed(B), transpose(host, B))) << shape.rows << " x " << shape.cols;
      }
    }
  });
}

TYPED_TEST(TransposePlans, KeepsTheOrderOfUnsortedRows) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  auto A = reference::matrix_from_entries<T>(host, 2, 3, {{0, 0, 1.0}, {0, 1, 2.0}, {0, 2, 3.0}, {1, 0, 4.0}});
  A.col_indices[0] = 2;
  A.col_indices[1] = 0;
  A.col_indices[2] = 2;
  const auto A_there = reference::upload(ctx, borrow(A));
  const TransposePlan plan(ctx, A_there);
  EXPECT_TRUE(
      identical(reference::download(ctx, plan.transpose(ctx, A_there)),
                reference::matrix_from_entries<T>(host, 3, 2, {{0, 0, 2.0}, {0, 1, 4.0}, {2, 0, 1.0}, {2, 0, 3.0}})));
}

TYPED_TEST(TransposePlans, TakesNoMoreMemoryThanTheTranspose) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(ctx, reference::random_matrix<T>(host, 4000, 3000, 100, 4));
  const TransposePlan plan(ctx, A);
  const std::size_t before = ctx.memory().bytes_in_use();
  const auto At = plan.transpose(ctx, A);
  EXPECT_LE(plan.bytes(), At.bytes());
  EXPECT_EQ(ctx.memory().bytes_in_use(), before + At.values.bytes());
}

TYPED_TEST(TransposePlans, NamesBothWhereSizesDiffer) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto make = [&](Index rows, Index cols, const std::vector<reference::Entry>& entries) {
    return reference::upload(ctx, reference::matrix_from_entries<T>(host, rows, cols, entries));
  };
  const auto A = make(2, 3, {{0, 0, 1.0}, {1, 2, 1.0}});
  const TransposePlan plan(ctx, A);
  auto At = plan.transpose(ctx, A);
  EXPECT_EQ(error_of([&] {
              plan.transpose(ctx, make(2, 3, {{0, 0, 1.0}}));
            }),
            "planned transpose: A is 2 x 3 with 1 entries, but was planned as 2 x 3 with 2");
  EXPECT_EQ(error_of([&] { plan.transpose(ctx, At); }),
            "planned transpose: A is 3 x 2 with 2 entries, but was planned as 2 x 3 with 2");
}

}  // namespace
}  // namespace amgsolve
