#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "amg/solver.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

class CudaLarge : public reference::SpaceTest<Cuda> {};

TEST_F(CudaLarge, SolvesWithMoreEntriesThan31BitsCount) {
  if (std::getenv("AMGSOLVE_LARGE") == nullptr) {
    GTEST_SKIP() << "takes 90 GB of the device: set AMGSOLVE_LARGE=1";
  }
  Context<Cuda> ctx;
  constexpr std::size_t wanted = 95'000'000'000;
  if (ctx.memory().available().bytes < wanted) {
    GTEST_SKIP() << "the device has less than " << wanted / 1'000'000'000 << " GB free";
  }
  constexpr std::int64_t edge = 450;
  GeneratedProblem problem = reference::poisson(reference::grid({edge, edge, edge}), Discretization::fd);
  problem.stencil = 27;
  CsrMatrix<double, Cuda> A = generate_matrix<double>(ctx, problem);
  const Index n = A.rows;
  EXPECT_EQ(A.nnz(), (3 * edge - 2) * (3 * edge - 2) * (3 * edge - 2));
  ASSERT_GT(A.nnz(), std::int64_t{std::numeric_limits<std::int32_t>::max()});
  AmgSolver<double, Cuda> solver({}, {});
  solver.setup(ctx, std::move(A));
  MultiVector<double, Cuda> b(ctx, n);
  MultiVector<double, Cuda> x(ctx, n);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  const SolveResult result = solver.solve(ctx, std::as_const(b), x);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LE(result.iterations, 15);
}

}  // namespace
}  // namespace amgsolve
