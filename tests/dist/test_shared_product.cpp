#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "dist/halo.hpp"
#include "dist/product.hpp"
#include "dist/replicate.hpp"
#include "dist/transpose.hpp"
#include "problems/generate.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_matrices.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using ranks::Cut;
using ranks::OnRanks;
using ranks::poisson;
using ranks::share;
using ranks::with_identity_rows;
using ranks::world;

template <class I>
class SharedProduct : public OnRanks<I> {};
TYPED_TEST_SUITE(SharedProduct, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(SharedProduct, HasTheBitsOfOneRank) {
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  const auto A = reference::random_matrix<double>(host, 1501, 1501, 60, 1);
  const auto B = reference::random_matrix<double>(host, 1501, 400, 40, 2);
  Context<S> whole = ranks::own_context<S>();
  const auto AB = reference::download(whole, multiply(whole, upload(whole, A), upload(whole, B)));
  const auto Bt = transpose(host, B);
  for (const Cut cut : ranks::all_cuts()) {
    SCOPED_TRACE(to_string(cut));
    Context<S> ctx = ranks::shared_context<S>();
    const LocalMatrix<double, S> a = share(ctx, A, cut);
    LocalMatrix<double, S> b = share(ctx, B, cut);
    EXPECT_TRUE(reference::identical(reference::download(ctx, replicate(ctx, multiply(ctx, a, b, {}))), AB));
    EXPECT_TRUE(
        reference::identical(reference::download(ctx, replicate(ctx, transpose(ctx, b, a.layout->partition()))), Bt));
  }
}

/// Whether the entries of B are those of the window itself, not copies.
template <MemorySpace S>
bool has_within(const CsrMatrix<double, S>& window, const CsrMatrix<double, S>& B) {
  return B.values.data() >= window.values.data() && B.values.data() < window.values.data() + window.values.size();
}

/// Where the rows of some ranks are short, theirs are too narrow for what longer rows of others bring: whoever has room
/// and whoever has none goes on by the same window, as ranks do that exchange rows of the product with it.
TYPED_TEST(SharedProduct, HasTheSameBitsWhereSomeRanksHaveNoMargins) {
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  const auto grid = generate_matrix<double>(host, poisson({20, 20, 12}, Discretization::fd));
  for (const Index masked : {1600, 3200, 4000}) {
    SCOPED_TRACE(masked);
    const auto A = with_identity_rows(host, grid, masked);
    Context<S> whole = ranks::own_context<S>();
    const auto there = upload(whole, A);
    const auto aa_there = multiply(whole, there, there);
    const auto AAA = reference::download(whole, multiply(whole, there, aa_there));
    const auto transposed = reference::download(whole, transpose(whole, aa_there));
    const auto AAAA = reference::download(whole, multiply(whole, aa_there, aa_there));
    for (const Cut cut : ranks::all_cuts()) {
      SCOPED_TRACE(to_string(cut));
      Context<S> ctx = ranks::shared_context<S>();
      const LocalMatrix<double, S> a = share(ctx, A, cut);
      LocalMatrix<double, S> b = share(ctx, A, cut);
      LocalMatrix<double, S> aa = multiply(ctx, a, b, {});
      const LocalMatrix<double, S> aaa = multiply(ctx, a, aa, {});
      EXPECT_EQ(aa.layout, aaa.layout);
      EXPECT_TRUE(reference::identical(reference::download(ctx, replicate(ctx, aaa)), AAA));
      const auto t = transpose(ctx, aa, a.layout->partition());
      EXPECT_TRUE(reference::identical(reference::download(ctx, replicate(ctx, t)), transposed));
      LocalMatrix<double, S> other = multiply(ctx, a, b, {});
      EXPECT_TRUE(reference::identical(reference::download(ctx, replicate(ctx, multiply(ctx, aa, other, {}))), AAAA));
    }
  }
}

/// Rows are fetched into the margins of the second factor where these are wide enough for them, as they were guessed.
TYPED_TEST(SharedProduct, HasTheSameBitsWithAndWithoutMargins) {
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  const auto A = generate_matrix<double>(host, poisson({30, 30, 5}, Discretization::fd));
  Context<S> whole = ranks::own_context<S>();
  const auto there = upload(whole, A);
  auto aa_there = multiply(whole, there, there);
  const auto AAA = reference::download(whole, multiply(whole, there, aa_there));
  const auto AA = reference::download(whole, std::move(aa_there));
  for (const Cut cut : ranks::all_cuts()) {
    SCOPED_TRACE(to_string(cut));
    Context<S> ctx = ranks::shared_context<S>();
    const LocalMatrix<double, S> a = share(ctx, A, cut);
    LocalMatrix<double, S> b = share(ctx, A, cut);
    const auto product = [&](const SpgemmOptions& options) {
      LocalMatrix<double, S> aa = multiply(ctx, a, b, options);
      const SecondFactor<double, S> factor = second_factor(ctx, *a.layout, aa);
      const bool in_margins = has_within(factor.rows, aa.A);
      const LocalMatrix<double, S> aaa = multiply(ctx, a, factor, {});
      EXPECT_EQ(aa.A.cols, aa.layout->columns());
      EXPECT_EQ(aa.layout, aaa.layout);
      EXPECT_TRUE(reference::identical(reference::download(ctx, replicate(ctx, aa)), AA));
      EXPECT_TRUE(reference::identical(reference::download(ctx, replicate(ctx, aaa)), AAA));
      const LocalMatrix<double, S> again = multiply(ctx, a, second_factor_within(ctx, *a.layout, aa), {});
      EXPECT_EQ(again.layout, aaa.layout);
      EXPECT_TRUE(reference::identical(reference::download(ctx, replicate(ctx, again)), AAA));
      return in_margins;
    };
    if constexpr (std::same_as<S, Host>) {  // on devices guesses of entries leave room, too
      EXPECT_TRUE(!product({}) || a.layout->ghosts().empty());
    }
    EXPECT_TRUE(product({.margins = margins_for(*a.layout)}) || a.A.nnz() == 0);
  }
}

/// A second factor that knows of which rows of the product others will need some has the columns of these.
TYPED_TEST(SharedProduct, KeepsTheWindowOfAFactorThatKnowsWhoNeedsItsRows) {
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  const CsrMatrix<double, Host> matrices[] = {generate_matrix<double>(host, poisson({9, 9, 16}, Discretization::fd)),
                                              reference::random_matrix<double>(host, 900, 900, 6, 3)};
  for (const auto& A : matrices) {
    const auto expected = multiply(host, transpose(host, A), multiply(host, A, A));
    for (const Cut cut : ranks::all_cuts()) {
      SCOPED_TRACE(testing::Message() << A.rows << " rows, " << to_string(cut));
      Context<S> ctx = ranks::shared_context<S>();
      const LocalMatrix<double, S> a = share(ctx, A, cut);
      LocalMatrix<double, S> b = share(ctx, A, cut);
      const LocalMatrix<double, S> r = transpose(ctx, b, a.layout->partition());
      const SecondFactor<double, S> factor = second_factor(ctx, a, b, *r.layout);
      LocalMatrix<double, S> ab = multiply(ctx, a, factor, {});
      const LocalMatrix<double, S> rab = multiply(ctx, r, second_factor_within(ctx, *r.layout, ab), {});
      EXPECT_EQ(rab.layout, factor.columns);
      EXPECT_TRUE(reference::identical(reference::download(ctx, replicate(ctx, rab)), expected));
    }
  }
}

TYPED_TEST(SharedProduct, OfFewRowsHasTheSameBitsFromNarrowOperands) {
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  const auto A = reference::random_matrix<double>(host, 7, 1501, 60, 1);
  const auto B = reference::random_matrix<double>(host, 1501, 1501, 40, 2);
  const auto C = reference::random_matrix<double>(host, 1501, 400, 40, 3);
  Context<S> whole = ranks::own_context<S>();
  const auto AB = multiply(whole, upload(whole, A), upload(whole, B));
  const auto ABC = reference::download(whole, multiply(whole, AB, upload(whole, C)));
  for (const Cut cut : ranks::all_cuts()) {
    SCOPED_TRACE(to_string(cut));
    Context<S> ctx = ranks::shared_context<S>();
    const LocalMatrix<double, S> b = share(ctx, B, cut);
    const Partition rows(world(), ranks::own_rows(world(), cut, A.rows));
    const LocalMatrix<double, S> a = to_local(ctx, b.layout->partition(), ranks::upload_rows(ctx, A, rows));
    const NarrowOperands<double, S> first = narrow_operands(ctx, a, b);
    const NarrowOperands<double, S> second = narrow_operands(ctx, first.B, share(ctx, C, cut), true);
    EXPECT_LE(first.B.A.rows, A.nnz());
    const LocalMatrix<double, S> abc{multiply(ctx, multiply(ctx, first.A, second.A), second.B.A), second.B.layout};
    EXPECT_TRUE(reference::identical(reference::download(ctx, replicate(ctx, abc)), ABC));
  }
}

}  // namespace
}  // namespace amgsolve
