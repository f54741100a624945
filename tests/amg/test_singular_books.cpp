#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "amg/convergence.hpp"
#include "amg/solver.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// What is said of an x with a singular A is said of the x that is handed over.
namespace amgsolve {
namespace {

double norm(const std::vector<double>& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

/// Summed in more digits than those of x, in which the sum of 750 may leave more than the bound.
double mean(const std::vector<double>& x) {
  return static_cast<double>(std::accumulate(x.begin(), x.end(), 0.0L) / static_cast<long double>(x.size()));
}

struct Judged {
  double residual = 0.0;  ///< relative to b
  double backward_error = 0.0;
};

/// By the definition, of a b without its mean.
template <class T>
Judged judge(const CsrMatrix<T, Host>& A, const std::vector<T>& b, const std::vector<T>& x) {
  std::vector<double> in_range(b.begin(), b.end());
  const double outside = mean(in_range);
  std::vector<double> residual;
  std::vector<double> magnitudes;
  for (std::size_t i = 0; i < b.size(); ++i) {
    in_range[i] = static_cast<double>(static_cast<T>(in_range[i] - outside));
    residual.push_back(in_range[i]);
    magnitudes.push_back(std::abs(in_range[i]));
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      const double term =
          static_cast<double>(A.values[k]) * static_cast<double>(x[static_cast<std::size_t>(A.col_indices[k])]);
      residual.back() -= term;
      magnitudes.back() += std::abs(term);
    }
  }
  return {norm(residual) / norm(in_range), norm(residual) / norm(magnitudes)};
}

template <class I>
class SingularBooks : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SingularBooks, reference::Instances, reference::InstanceNames);

// What rounding leaves of a guess that is far off lies in the null space in part.
TYPED_TEST(SingularBooks, AreThoseOfTheXThatIsHandedOver) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  GeneratedProblem problem = reference::poisson(reference::grid({30, 25}), Discretization::fd);
  problem.boundary = Boundary::neumann;
  const auto A = generate_matrix<T>(host, problem);
  const auto there = reference::upload(ctx, borrow(A));
  const auto b = reference::random_values<T>(static_cast<std::size_t>(A.rows), 8);
  std::int64_t step = 0;
  ctx.set_progress_listener([&](const Progress& progress) { step = progress.step; });
  AmgOptions amg;
  amg.coarse_size = 50;
  for (const Method method : {Method::cg, Method::gmres, Method::bicgstab, Method::minres, Method::amg}) {
    SolverOptions options;
    options.method = method;
    AmgSolver<T, S> solver(amg, options);
    solver.setup(ctx, borrow(there));
    constexpr int never = std::numeric_limits<int>::max();
    for (const auto& [far, stopped_at] : {std::pair(1.0, never), {1e6, never}, {1e12, never}, {1e12, 3}, {1.0, 1}}) {
      SCOPED_TRACE(testing::Message() << "method " << static_cast<int>(method) << ", a guess of " << far << ", at most "
                                      << stopped_at << " iterations");
      std::vector<T> guess = reference::random_values<T>(b.size(), 9);
      std::ranges::transform(guess, guess.begin(), [&](T value) { return static_cast<T>(far * (value + 3.0)); });
      MultiVector<T, S> x = reference::upload(ctx, guess);
      step = 0;
      ctx.set_stop([&] { return step == stopped_at; });
      const SolveResult result = solver.solve(ctx, reference::upload(ctx, b).view(), x);
      ctx.set_stop({});
      EXPECT_EQ(result.reason == StopReason::interrupted, stopped_at < never);
      EXPECT_LE(result.iterations, 3 * stalled_iterations) << "rounds that stall begin anew";
      const std::vector<T> handed_over = reference::download(ctx, x);
      EXPECT_LE(std::abs(mean({handed_over.begin(), handed_over.end()})),
                std::numeric_limits<T>::epsilon() * norm({handed_over.begin(), handed_over.end()}));
      const Judged judged = judge(A, b, handed_over);
      // Sums of seven terms, in one order or another.
      constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();
      EXPECT_NEAR(result.backward_error, judged.backward_error, 1e-3 * judged.backward_error + rounding);
      EXPECT_NEAR(result.relative_residual, judged.residual,
                  1e-3 * judged.residual + rounding * judged.residual / judged.backward_error);
    }
  }
}

}  // namespace
}  // namespace amgsolve
