#include <gtest/gtest.h>

#include <concepts>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/operator.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// Matrices whose slices share their values: what the check of A stores on a device serves the setup, unless another
/// matrix is set up than was checked.
namespace amgsolve {
namespace {

using reference::grid;
using reference::poisson;

/// As many iterations as where nothing is light; on the host, where spectral radii are summed alike, too, the same
/// bits.
template <class T, MemorySpace S>
void expect_as_in_slices(Context<S>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& set_up,
                         AmgOptions amg = {}, const SolverOptions& options = {}) {
  Context<Host> host;
  const auto b = reference::upload(ctx, reference::random_values<T>(static_cast<std::size_t>(A.rows), 7));
  std::vector<SolveResult> results;
  std::vector<std::vector<T>> solutions;
  for (const Storage storage : {Storage::sell, Storage::pattern}) {
    amg.storage = storage;
    AmgSolver<T, S> solver(amg, options);
    solver.setup(ctx, reference::upload(ctx, borrow(A)));
    EXPECT_TRUE(reference::identical(solver.level_matrix(ctx, host, 0, LevelPart::A), set_up));
    MultiVector<T, S> x(ctx, A.rows);
    fill<T>(ctx, T{0}, x);
    results.push_back(solver.solve(ctx, b.view(), x));
    EXPECT_LE(results.back().reason, StopReason::attained) << describe(results.back().reason);
    solutions.push_back(reference::download(ctx, x));
  }
  EXPECT_EQ(results[0].iterations, results[1].iterations);
  if constexpr (std::same_as<S, Host>) {
    EXPECT_EQ(results[0].residual_history, results[1].residual_history);
    EXPECT_EQ(solutions[0], solutions[1]);
  }
}

template <class I>
class LightSetup : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(LightSetup, reference::Instances, reference::InstanceNames);

TYPED_TEST(LightSetup, TakesWhatTheCheckStored) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<T>(host, poisson(grid({60, 64}), Discretization::fd));
  const auto there = reference::upload(ctx, borrow(A));
  ASSERT_TRUE((Operator<T, typename TypeParam::Space>::beside(ctx, there, Storage::pattern).is_light()));
  expect_as_in_slices(ctx, A, A);
  AmgOptions same;
  same.precision = Precision::same;
  expect_as_in_slices(ctx, A, A, same);
}

TYPED_TEST(LightSetup, SetsUpTheNegative) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<T>(host, poisson(grid({60, 64}), Discretization::fd));
  const auto negative = convert_values<T>(host, A, -1.0);
  expect_as_in_slices(ctx, negative, negative);
}

TYPED_TEST(LightSetup, SetsUpAnotherMatrixUnderMinres) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<T>(host, poisson(grid({60, 64}), Discretization::fd));
  SolverOptions options;
  options.method = Method::minres;
  const auto shifted = reference::changed_entries<T>(
      host, A, [](Index i, Index j, double value) { return i == j ? 0.999 * value : value; });
  expect_as_in_slices(ctx, shifted, shifted, {}, options);
}

TYPED_TEST(LightSetup, SetsUpNodeByNodeWhatIsNumberedByField) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  GeneratedProblem body = poisson(grid({40, 44}), Discretization::q1);
  body.pde = Pde::elasticity;
  AmgOptions amg;
  amg.block_size = 2;
  amg.unknowns = Numbering::by_field;
  const auto by_node = generate_matrix<T>(host, body);
  expect_as_in_slices(ctx, reference::by_field<T>(host, by_node, 2), by_node, amg);
}

TYPED_TEST(LightSetup, SeesThatAMatrixIsNotSymmetric) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A =
      reference::changed_entries<T>(host, generate_matrix<T>(host, poisson(grid({60, 64}), Discretization::fd)),
                                    [](Index i, Index j, double value) { return j == i + 1 ? 0.5 * value : value; });
  AmgOptions amg;
  amg.storage = Storage::pattern;
  AmgSolver<T, S> solver(amg, {});
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  const auto b = reference::upload(ctx, reference::random_values<T>(static_cast<std::size_t>(A.rows), 7));
  MultiVector<T, S> x(ctx, A.rows);
  fill<T>(ctx, T{0}, x);
  const SolveResult result = solver.solve(ctx, b.view(), x);
  EXPECT_EQ(result.method, Method::fgmres);
  EXPECT_LE(result.reason, StopReason::attained) << describe(result.reason);
}

}  // namespace
}  // namespace amgsolve
