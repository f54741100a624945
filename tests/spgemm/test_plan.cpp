#include "spgemm/plan.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/timer.hpp"
#include "problems/generate.hpp"
#include "spgemm/galerkin.hpp"
#include "spgemm/galerkin_plan.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/error_of.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::error_of;
using reference::identical;
using reference::matrix_from_entries;
using reference::power_law_matrix;
using reference::random_matrix;
using reference::scattered_matrix;
using reference::with_new_values;

template <class I>
class SpgemmPlans : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SpgemmPlans, reference::Instances, reference::InstanceNames);

template <class T>
struct Operands {
  const char* name;
  CsrMatrix<T, Host> A;
  CsrMatrix<T, Host> B;
};

template <class T>
std::vector<Operands<T>> operands(Context<Host>& host) {
  const auto stencil = [&] {
    return generate_matrix<T>(host, reference::poisson(reference::grid({15, 15, 15}), Discretization::q1));
  };
  std::vector<Operands<T>> all;
  all.push_back({"random", random_matrix<T>(host, 1500, 900, 200, 1), random_matrix<T>(host, 900, 1200, 100, 2)});
  all.push_back({"stencil", stencil(), stencil()});
  all.push_back({"power law", power_law_matrix<T>(host, 3000), power_law_matrix<T>(host, 3000)});
  all.push_back({"wide", random_matrix<T>(host, 60, 400, 300, 3), random_matrix<T>(host, 400, 1 << 21, 300, 4)});
  all.push_back(
      {"1 x 1", matrix_from_entries<T>(host, 1, 1, {{0, 0, 2.0}}), matrix_from_entries<T>(host, 1, 1, {{0, 0, 3.0}})});
  all.push_back({"no entries", matrix_from_entries<T>(host, 5, 3, {}), matrix_from_entries<T>(host, 3, 4, {})});
  all.push_back({"no rows", matrix_from_entries<T>(host, 0, 3, {}), matrix_from_entries<T>(host, 3, 0, {})});
  return all;
}

TYPED_TEST(SpgemmPlans, GivesTheBitsOfTheProduct) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  for (const auto& [name, A, B] : operands<T>(host)) {
    SCOPED_TRACE(name);
    reference::for_contexts<typename TypeParam::Space>([&, &A = A, &B = B](auto& ctx) {
      const auto A_there = reference::upload(ctx, borrow(A));
      const auto B_there = reference::upload(ctx, borrow(B));
      const SpgemmPlan plan(ctx, A_there, B_there);
      auto C = plan.multiply(ctx, A_there, B_there);
      EXPECT_TRUE(
          identical(reference::download(ctx, borrow(C)), reference::download(ctx, multiply(ctx, A_there, B_there))));
      for (const unsigned seed : {5u, 6u}) {
        const auto new_A = reference::upload(ctx, with_new_values(host, A, seed));
        const auto new_B = reference::upload(ctx, with_new_values(host, B, seed + 10));
        const auto expected = reference::download(ctx, multiply(ctx, new_A, new_B));
        plan.update(ctx, new_A, new_B, C);
        EXPECT_TRUE(identical(reference::download(ctx, borrow(C)), expected));
        EXPECT_TRUE(identical(reference::download(ctx, plan.multiply(ctx, new_A, new_B)), expected));
      }
    });
  }
}

/// What was booked while `call` ran.
template <MemorySpace S, class Call>
Work booked(Context<S>& ctx, const Call& call) {
  ctx.profile().clear();
  {
    ScopedTimer timer(ctx, "all");
    call();
  }
  Work sum;
  for (const Profile::Node& node : ctx.profile().nodes()) {
    sum += node.work;
  }
  return sum;
}

TYPED_TEST(SpgemmPlans, TakesThePatternOfAFormedProduct) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = random_matrix<T>(host, 300, 200, 20, 1);
  const auto B = random_matrix<T>(host, 200, 250, 20, 2);
  const auto A_there = reference::upload(ctx, borrow(A));
  const auto B_there = reference::upload(ctx, borrow(B));
  auto C = multiply(ctx, A_there, B_there);
  const auto expected = reference::download(ctx, borrow(C));
  std::optional<SpgemmPlan<T, typename TypeParam::Space>> plan;
  EXPECT_EQ(booked(ctx, [&] { plan.emplace(ctx, A_there, B_there, SpgemmOptions{}, C); }).flops, 0);
  EXPECT_TRUE(identical(reference::download(ctx, borrow(C)), expected));
  const auto again = plan->multiply(ctx, A_there, B_there);
  EXPECT_TRUE(identical(reference::download(ctx, borrow(again)), expected));
  EXPECT_EQ(std::as_const(C).col_indices.data(), again.col_indices.data());
  const auto new_A = reference::upload(ctx, with_new_values(host, A, 3));
  plan->update(ctx, new_A, B_there, C);
  EXPECT_TRUE(identical(reference::download(ctx, borrow(C)), reference::download(ctx, multiply(ctx, new_A, B_there))));
}

TYPED_TEST(SpgemmPlans, KeepsPositionsOnADeviceWhereTheyFit) {
  using T = typename TypeParam::Value;
  constexpr bool on_device = std::is_same_v<typename TypeParam::Space, Cuda>;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto expect = [&](const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B, bool keeps_positions) {
    const auto A_there = reference::upload(ctx, borrow(A));
    const auto B_there = reference::upload(ctx, borrow(B));
    const SpgemmPlan plan(ctx, A_there, B_there);
    auto C = plan.multiply(ctx, A_there, B_there);
    EXPECT_TRUE(
        identical(reference::download(ctx, borrow(C)), reference::download(ctx, multiply(ctx, A_there, B_there))));
    const std::size_t position_bytes = plan.bytes() - C.row_offsets.bytes() - C.col_indices.bytes();
    if (on_device) {
      EXPECT_EQ(position_bytes > 0, keeps_positions);
    }
    EXPECT_LE(position_bytes, (A.bytes() + B.bytes() + C.bytes()) / 2);
  };
  // As many lanes as rows of B have entries; from 20 on, rows of C are too long for shared memory.
  const auto A = scattered_matrix<T>(host, 60, 997, 90);
  for (const Index length : {1, 2, 3, 5, 9, 20, 40, 80}) {
    SCOPED_TRACE(length);
    expect(A, scattered_matrix<T>(host, 997, 1 << 20, length), true);
  }
  // 32 positions a word; and a hundred products, of a byte each, for every entry of A.
  expect(scattered_matrix<T>(host, 300, 400, 40), scattered_matrix<T>(host, 400, 2, 1), true);
  expect(scattered_matrix<T>(host, 3000, 50, 50), scattered_matrix<T>(host, 50, 100, 100), false);
}

TYPED_TEST(SpgemmPlans, KeepsEntriesThatCancelForSomeValues) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto make = [&](Index rows, Index cols, const std::vector<reference::Entry>& entries) {
    return reference::upload(ctx, matrix_from_entries<T>(host, rows, cols, entries));
  };
  const auto A = make(1, 2, {{0, 0, 1.0}, {0, 1, 1.0}});
  const auto B = make(2, 1, {{0, 0, 3.0}, {1, 0, -3.0}});
  const SpgemmPlan plan(ctx, A, B);
  EXPECT_TRUE(identical(reference::download(ctx, plan.multiply(ctx, A, make(2, 1, {{0, 0, 3.0}, {1, 0, 1.0}}))),
                        matrix_from_entries<T>(host, 1, 1, {{0, 0, 4.0}})));
}

TYPED_TEST(SpgemmPlans, TakesNoMemoryForNewValues) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(
      ctx, generate_matrix<T>(host, reference::poisson(reference::grid({40, 40, 40}), Discretization::fd)));
  const SpgemmPlan plan(ctx, A, A);
  auto C = plan.multiply(ctx, A, A);
  plan.update(ctx, A, A, C);  // its scratch stays in the workspace
  const std::size_t before = ctx.memory().bytes_in_use();
  plan.update(ctx, A, A, C);
  EXPECT_EQ(ctx.memory().bytes_in_use(), before);
}

TYPED_TEST(SpgemmPlans, NamesBothWhereSizesDiffer) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto make = [&](Index rows, Index cols, const std::vector<reference::Entry>& entries) {
    return reference::upload(ctx, matrix_from_entries<T>(host, rows, cols, entries));
  };
  const auto A = make(2, 3, {{0, 0, 1.0}, {1, 2, 1.0}});
  const auto B = make(3, 2, {{0, 1, 1.0}, {2, 1, 1.0}});
  const SpgemmPlan plan(ctx, A, B);
  auto C = plan.multiply(ctx, A, B);
  EXPECT_EQ(error_of([&] {
              plan.multiply(ctx, make(2, 3, {{0, 0, 1.0}}), B);
            }),
            "planned product A B: A is 2 x 3 with 1 entries, but was planned as 2 x 3 with 2");
  EXPECT_EQ(error_of([&] { plan.update(ctx, A, A, C); }),
            "planned product A B: B is 2 x 3 with 2 entries, but was planned as 3 x 2 with 2");
  auto other = make(2, 2, {{0, 1, 1.0}});
  EXPECT_EQ(error_of([&] { plan.update(ctx, A, B, other); }),
            "planned product A B: C is 2 x 2 with 1 entries, but was planned as 2 x 2 with 2");
  EXPECT_EQ(error_of([&] { SpgemmPlan(ctx, A, A); }), "sparse product A B: A is 2 x 3 and B is 2 x 3");
}

TYPED_TEST(SpgemmPlans, RefusesOptionsThatChangeThePattern) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(ctx, matrix_from_entries<T>(host, 1, 1, {{0, 0, 1.0}}));
  EXPECT_EQ(error_of([&] { SpgemmPlan(ctx, A, A, {.drop_zeros = true}); }),
            "planned product A B: zeros cannot be dropped from a pattern that new values share");
  EXPECT_EQ(error_of([&] { SpgemmPlan(ctx, A, A, {.input = SpgemmInput::sort}); }),
            "planned product A B: the operands must be sorted by the caller, once for all values");
  EXPECT_EQ(error_of([&] { GalerkinPlan(ctx, A, A, A, {.drop_zeros = true}); }),
            "planned product A B: zeros cannot be dropped from a pattern that new values share");
}

TYPED_TEST(SpgemmPlans, FormsTheGalerkinProductOfNewValues) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::random_spd_matrix<T>(host, 2000, 6, 7);
  const auto P = random_matrix<T>(host, 2000, 300, 12, 8);
  const auto new_A = with_new_values(host, A, 9);
  const auto new_P = with_new_values(host, P, 10);
  const auto R = transpose(host, P);
  const auto new_R = transpose(host, new_P);
  const auto there = [&](const CsrMatrix<T, Host>& M) { return reference::upload(ctx, borrow(M)); };
  const GalerkinPlan plan(ctx, there(R), there(A), there(P));
  EXPECT_TRUE(identical(reference::download(ctx, plan.multiply(ctx, there(R), there(A), there(P))),
                        reference::download(ctx, galerkin_product(ctx, there(R), there(A), there(P)))));
  EXPECT_TRUE(identical(reference::download(ctx, plan.multiply(ctx, there(new_R), there(new_A), there(new_P))),
                        reference::download(ctx, galerkin_product(ctx, there(new_R), there(new_A), there(new_P)))));
}

TYPED_TEST(SpgemmPlans, FormsTheGalerkinProductOnce) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, reference::random_spd_matrix<T>(host, 2000, 6, 7));
  const auto P = reference::upload(ctx, random_matrix<T>(host, 2000, 300, 12, 8));
  const auto R = transpose(ctx, P);
  CsrMatrix<T, S> expected;
  CsrMatrix<T, S> coarse;
  std::optional<GalerkinPlan<T, S>> plan;
  const Work of_product = booked(ctx, [&] { expected = galerkin_product(ctx, R, A, P); });
  const Work of_plan = booked(ctx, [&] { plan.emplace(ctx, R, A, P, SpgemmOptions{}, &coarse); });
  EXPECT_EQ(of_plan.flops, of_product.flops);
  EXPECT_EQ(of_plan.bytes, of_product.bytes);
  EXPECT_TRUE(identical(reference::download(ctx, borrow(coarse)), reference::download(ctx, borrow(expected))));
  const auto again = plan->multiply(ctx, R, A, P);
  EXPECT_EQ(std::as_const(coarse).col_indices.data(), again.col_indices.data());
}

// On a device that holds the positions of the products nobody reads the columns of A P again.
TYPED_TEST(SpgemmPlans, HoldsColumnsWhereTheyAreRead) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(ctx, reference::random_spd_matrix<T>(host, 2000, 6, 7));
  const auto P = reference::upload(ctx, random_matrix<T>(host, 2000, 300, 4, 8));
  const auto R = transpose(ctx, P);
  const auto AP = multiply(ctx, A, P);
  SpgemmPlan of_AP(ctx, A, P);
  const SpgemmPlan of_RAP(ctx, R, AP);
  const std::size_t of_both = of_AP.bytes() + of_RAP.bytes();
  const bool are_read = of_AP.reads_columns() || of_RAP.reads_columns();
  const GalerkinPlan plan(ctx, R, A, P);
  EXPECT_EQ(plan.bytes(), of_both - (are_read ? 0 : AP.col_indices.bytes()));
  if (of_AP.reads_columns()) {
    EXPECT_THROW(of_AP.give_up_columns(), std::logic_error);
  } else {
    of_AP.give_up_columns();
    const auto again = of_AP.multiply(ctx, A, P);
    EXPECT_EQ(reference::download(ctx, again.values.span()), reference::download(ctx, AP.values.span()));
  }
}

template <class I>
class SpgemmLargePlans : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SpgemmLargePlans, reference::FloatInstances, reference::InstanceNames);

TYPED_TEST(SpgemmLargePlans, TakeMoreThan32BitsOfEntriesOfB) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Host> host;
  Context<Space> ctx;
  // Full rows, as many as their columns and one more.
  constexpr Index cols = 1 << 16;
  constexpr auto width = static_cast<std::size_t>(cols);
  constexpr Offset nnz = (Offset{cols} + 1) * cols;
  constexpr std::size_t wanted = nnz * (sizeof(Index) + sizeof(T)) + (std::size_t{2} << 30);
  if (ctx.memory().available().bytes < wanted) {
    GTEST_SKIP() << "needs " << (wanted >> 30) << " GiB of memory";
  }
  CsrMatrix<T, Space> B(ctx, cols + 1, cols, nnz);
  std::vector<Offset> offsets(width + 2);
  std::vector<Index> columns(width);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = static_cast<Offset>(i) * cols;
  }
  std::iota(columns.begin(), columns.end(), 0);
  const auto values = reference::random_values<T>(width, 1);
  const auto last_values = reference::random_values<T>(width, 2);
  upload<Offset>(ctx, {offsets.data(), offsets.size()}, B.row_offsets.span());
  for (Index row = 0; row <= cols; ++row) {
    const std::size_t begin = static_cast<std::size_t>(row) * width;
    upload<Index>(ctx, {columns.data(), width}, B.col_indices.span().subspan(begin, width));
    upload<T>(ctx, {row == cols ? last_values.data() : values.data(), width}, B.values.span().subspan(begin, width));
  }
  const auto A = reference::upload(
      ctx, matrix_from_entries<T>(host, 3, cols + 1, {{0, 0, 1.0}, {1, cols, 1.0}, {2, 0, 1.0}, {2, cols, 1.0}}));
  const SpgemmPlan plan(ctx, A, B);
  const std::vector<T> C = reference::download(ctx, plan.multiply(ctx, A, B).values.span());
  ASSERT_EQ(C.size(), 3 * width);
  for (std::size_t j = 0; j < width; ++j) {
    ASSERT_EQ(C[j], values[j]);
    ASSERT_EQ(C[width + j], last_values[j]);
    ASSERT_EQ(C[2 * width + j], values[j] + last_values[j]);
  }
}

}  // namespace
}  // namespace amgsolve
