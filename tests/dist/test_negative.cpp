#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "dist/halo.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "tests/dist/shared_problems.hpp"
#include "tests/dist/shared_solves.hpp"

namespace amgsolve {
namespace {

using ranks::poisson;
using ranks::small_levels;
using ranks::world;

/// −A of a definite, a singular and a nonsymmetric A, and of one whose nodes have two unknowns.
std::vector<ranks::Problem> negative_problems(Context<Host>& host) {
  GeneratedProblem floating = poisson({60, 50}, Discretization::fd);
  floating.boundary = Boundary::neumann;
  GeneratedProblem moving = poisson({17, 18, 19}, Discretization::fd);
  moving.pde = Pde::convection_diffusion;
  moving.velocity = Velocity::rotating;
  moving.peclet = 100.0;
  GeneratedProblem body = poisson({45, 40}, Discretization::q1);
  body.pde = Pde::elasticity;
  std::vector<ranks::Problem> all;
  const auto add = [&](const char* name, const GeneratedProblem& problem, Index unknowns = 1) {
    all.push_back({name, convert_values<double>(host, generate_matrix<double>(host, problem), -1.0), unknowns});
  };
  add("definite", poisson({19, 21, 23}, Discretization::fd));
  add("singular", floating);
  add("not symmetric", moving);
  add("two unknowns a node", body, 2);
  return all;
}

template <class I>
class SharedNegative : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SharedNegative, reference::Instances, reference::InstanceNames);

TYPED_TEST(SharedNegative, MatricesAreSolvedToTheBitsOfOneRank) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  for (const ranks::Problem& problem : negative_problems(host)) {
    SCOPED_TRACE(problem.name);
    const auto A = convert_values<T>(host, problem.A);
    const auto b = reference::random_values<T>(static_cast<std::size_t>(A.rows), 1);
    const SolveResult result = ranks::expect_bits_of_one_rank<T, S>(A, b, small_levels(), {}, problem.unknowns);
    EXPECT_TRUE(result.is_negated);
  }
}

// A cycle, and a solve by a product of the caller's own, which is that of A.
TYPED_TEST(SharedNegative, MatricesKeepTheirSignForTheCaller) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  const auto A = convert_values<T>(host, negative_problems(host).front().A);
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::uneven, A.rows));
  const auto own =
      ranks::rows_of(reference::random_values<T>(static_cast<std::size_t>(A.rows), 1), partition, world().rank());
  Context<S> ctx = ranks::shared_context<S>();
  const MultiVector<T, S> b = reference::upload(ctx, own);
  SharedSolver<T, S> negative(small_levels(), {});
  negative.setup(ctx, ranks::upload_rows(ctx, A, partition));
  EXPECT_GE(negative.shared_levels(), 2U);
  SharedSolver<T, S> positive(small_levels(), {});
  positive.setup(ctx, ranks::upload_rows(ctx, convert_values<T>(host, A, -1.0), partition));
  MultiVector<T, S> z = reference::upload(ctx, own);
  MultiVector<T, S> opposite = reference::upload(ctx, own);
  negative.precondition(ctx, b.view(), z);
  positive.precondition(ctx, b.view(), opposite);
  axpby<T>(ctx, T{-1}, std::as_const(opposite), T{0}, opposite);
  EXPECT_TRUE(ranks::same_bits<T>(reference::download(ctx, z), reference::download(ctx, opposite)));

  const LocalMatrix<T, S> rows = ranks::share(ctx, A, ranks::Cut::uneven);
  const Operator<T, S> whole(ctx, borrow(rows.A), Storage::csr, std::make_shared<Halo<T, S>>(rows.layout));
  SolveChoices<T, S> choices;
  choices.product = [&whole](Context<S>& of, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) {
    whole.apply(of, T{1}, X, T{0}, Y);
  };
  MultiVector<T, S> x = reference::upload(ctx, std::vector<T>(own.size()));
  MultiVector<T, S> by_product = reference::upload(ctx, std::vector<T>(own.size()));
  const SolveResult expected = negative.solve(ctx, b.view(), x);
  const SolveResult result = negative.solve(ctx, b.view(), by_product, choices);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_EQ(result.iterations, expected.iterations);
}

// What cannot be shared comes to each rank with its own sign.
TEST(SharedSolver, SolvesNegativeMatricesThatCannotBeShared) {
  Context<Host> whole(1);
  const auto floating = [&](std::int64_t n) {
    GeneratedProblem square = poisson({n, n}, Discretization::fd);
    square.boundary = Boundary::neumann;
    return generate_matrix<double>(whole, square);
  };
  std::vector<CsrMatrix<double, Host>> parts;
  parts.push_back(floating(30));
  parts.push_back(floating(25));
  const auto A = convert_values<double>(whole, ranks::block_diagonal(whole, parts), -1.0);
  std::vector<double> b(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = i % 2 == 0 ? 1.0 : -1.0;
  }
  AmgOptions options = small_levels();
  options.replicate_below = 0;
  EXPECT_TRUE((ranks::expect_bits_of_one_rank<double, Host>(A, b, options, {}, 1, false).is_negated));
}

}  // namespace
}  // namespace amgsolve
