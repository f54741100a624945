#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "amg/bicgstab.hpp"
#include "amg/conjugate_gradients.hpp"
#include "amg/stationary_iteration.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/dense_decompositions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

/// Krylov methods with preconditioners that know no hierarchy.
namespace amgsolve {
namespace {

/// M = diag(d).
template <class T, MemorySpace S>
class DiagonalPreconditioner : public Preconditioner<T, S> {
 public:
  DiagonalPreconditioner(Context<S>& ctx, const std::vector<double>& d)
      : z_(ctx, static_cast<Index>(d.size())), inverse_(reference::upload_buffer(ctx, inverse_of(d))) {}

  MultiVectorView<const T, S> apply(Context<S>& ctx, MultiVectorView<const T, S> r) override {
    scale_rows<T>(ctx, inverse_, r, z_);
    return std::as_const(z_);
  }

 private:
  static std::vector<T> inverse_of(const std::vector<double>& d) {
    std::vector<T> result;
    for (const double x : d) {
      result.push_back(static_cast<T>(1.0 / x));
    }
    return result;
  }

  MultiVector<T, S> z_;
  Buffer<T, S> inverse_;
};

/// A tridiagonal matrix, scaled from both sides so that its diagonal spans three orders of magnitude.
struct Problem {
  static constexpr Index n = 80;

  Problem() : dense(Eigen::MatrixXd::Zero(n, n)), diagonal(n), b(Eigen::VectorXd::Ones(n)) {
    for (Index i = 0; i < n; ++i) {
      const auto scale = [](Index k) { return std::pow(10.0, 1.5 * (k % 7) / 6.0); };
      for (const Index j : {i - 1, i, i + 1}) {
        if (j >= 0 && j < n) {
          const double value = (i == j ? 2.2 : -1.0) * scale(i) * scale(j);
          entries.push_back({i, j, value});
          dense(i, j) = value;
        }
      }
      diagonal[static_cast<std::size_t>(i)] = dense(i, i);
    }
  }

  /// κ(M⁻¹A) for M = diag(d).
  double condition(const std::vector<double>& d) const {
    const Eigen::VectorXd root = Eigen::Map<const Eigen::VectorXd>(d.data(), n).cwiseSqrt().cwiseInverse();
    const Eigen::VectorXd values = reference::symmetric_eigenvalues(root.asDiagonal() * dense * root.asDiagonal());
    return values(n - 1) / values(0);
  }

  std::vector<reference::Entry> entries;
  Eigen::MatrixXd dense;
  std::vector<double> diagonal;
  Eigen::VectorXd b;
};

template <class I>
class Krylov : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Krylov, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(Krylov, ConjugateGradientsKeepTheTextbookBound) {
  using S = typename TypeParam::Space;
  const Problem problem;
  const Eigen::VectorXd solution = reference::least_squares(problem.dense, problem.b);
  Context<Host> host;
  Context<S> ctx;
  const Operator<double, S> A(
      ctx, reference::upload(ctx, reference::matrix_from_entries<double>(host, problem.n, problem.n, problem.entries)));
  const MultiVector<double, S> b = reference::upload(ctx, std::vector<double>(problem.b.begin(), problem.b.end()));
  for (const auto& d : {std::vector<double>(problem.n, 1.0), problem.diagonal}) {
    DiagonalPreconditioner<double, S> preconditioner(ctx, d);
    const double root = std::sqrt(problem.condition(d));
    const double factor = (root - 1) / (root + 1);
    for (const bool flexible : {false, true}) {
      for (const int iterations : {3, 10, 20}) {
        MultiVector<double, S> x(ctx, problem.n);
        fill<double>(ctx, 0.0, x);
        ConjugateGradients<double, S> method(ctx, A, preconditioner, 1, flexible);
        SolverOptions options;
        options.max_iterations = iterations;
        options.tolerance = 1e-14;
        iterate<double, S>(ctx, A, method, b.view(), x, options);
        const std::vector<double> values = reference::download(ctx, x);
        const Eigen::VectorXd error = Eigen::Map<const Eigen::VectorXd>(values.data(), problem.n) - solution;
        // ‖e_m‖_A ≤ 2 ((√κ − 1) / (√κ + 1))^m ‖e_0‖_A (Saad, Iterative Methods for Sparse Linear Systems, 6.11.3).
        EXPECT_LE(std::sqrt(error.dot(problem.dense * error)),
                  2 * std::pow(factor, iterations) * std::sqrt(solution.dot(problem.b)) + 1e-12);
      }
    }
  }
}

TYPED_TEST(Krylov, StationaryIterationIsTheJacobiIteration) {
  using S = typename TypeParam::Space;
  const Problem problem;
  Context<Host> host;
  Context<S> ctx;
  const Operator<double, S> A(
      ctx, reference::upload(ctx, reference::matrix_from_entries<double>(host, problem.n, problem.n, problem.entries)));
  const MultiVector<double, S> b = reference::upload(ctx, std::vector<double>(problem.b.begin(), problem.b.end()));
  DiagonalPreconditioner<double, S> preconditioner(ctx, problem.diagonal);
  MultiVector<double, S> x(ctx, problem.n);
  fill<double>(ctx, 0.0, x);
  StationaryIteration<double, S> method(ctx, A, preconditioner, 1);
  SolverOptions options;
  options.max_iterations = 5;
  const SolveResult result = iterate<double, S>(ctx, A, method, b.view(), x, options);
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(problem.n);
  for (int step = 0; step < 5; ++step) {
    expected += (problem.b - problem.dense * expected).cwiseQuotient(problem.dense.diagonal());
  }
  const std::vector<double> values = reference::download(ctx, x);
  for (Index i = 0; i < problem.n; ++i) {
    EXPECT_NEAR(values[static_cast<std::size_t>(i)], expected(i), 1e-13);
  }
}

/// M_k = c^k I for the k-th residual: no method can do with it.
template <class S>
class GrowingPreconditioner : public Preconditioner<double, S> {
 public:
  GrowingPreconditioner(Context<S>& ctx, Index rows, double growth) : growth_(growth), z_(ctx, rows) {}

  MultiVectorView<const double, S> apply(Context<S>& ctx, MultiVectorView<const double, S> r) override {
    scale_ *= growth_;
    const MultiVectorView<double, S> z = z_;
    copy<double, double>(ctx, r, z);
    axpby<double>(ctx, 0.0, r, scale_, z);
    return std::as_const(z_);
  }

 private:
  double growth_;
  double scale_ = 1.0;
  MultiVector<double, S> z_;
};

TYPED_TEST(Krylov, AnIterationThatOnlyGrowsIsCalledDiverged) {
  using S = typename TypeParam::Space;
  const Problem problem;
  Context<Host> host;
  Context<S> ctx;
  const Operator<double, S> A(
      ctx, reference::upload(ctx, reference::matrix_from_entries<double>(host, problem.n, problem.n, problem.entries)));
  const MultiVector<double, S> b = reference::upload(ctx, std::vector<double>(problem.b.begin(), problem.b.end()));
  const auto reason_after = [&](auto& method) {
    MultiVector<double, S> x(ctx, problem.n);
    fill<double>(ctx, 0.0, x);
    SolverOptions options;
    options.max_iterations = 100;
    const SolveResult result = iterate<double, S>(ctx, A, method, b.view(), x, options);
    EXPECT_LT(result.iterations, 50);
    return result.reason;
  };
  GrowingPreconditioner<S> preconditioner(ctx, problem.n, 1e5);
  ConjugateGradients<double, S> conjugate_gradients(ctx, A, preconditioner, 1, false);
  EXPECT_EQ(reason_after(conjugate_gradients), StopReason::diverged);
  // Jacobi's iteration of 100 times its size.
  std::vector<double> d = problem.diagonal;
  for (double& x : d) {
    x /= 100.0;
  }
  DiagonalPreconditioner<double, S> too_large(ctx, d);
  StationaryIteration<double, S> stationary(ctx, A, too_large, 1);
  EXPECT_EQ(reason_after(stationary), StopReason::diverged);
}

/// Whatever it is given, one of two vectors in turn.
template <class S>
class StubbornPreconditioner : public Preconditioner<double, S> {
 public:
  StubbornPreconditioner(Context<S>& ctx, const std::vector<double>& first, const std::vector<double>& second)
      : z_{reference::upload(ctx, first), reference::upload(ctx, second)} {}

  MultiVectorView<const double, S> apply(Context<S>&, MultiVectorView<const double, S>) override {
    std::swap(z_[0], z_[1]);
    return std::as_const(z_[1]);
  }

 private:
  std::array<MultiVector<double, S>, 2> z_;
};

// Its first direction is all but orthogonal to b, so that a step along it is 1e10 times as long as b, and its second
// one takes little of that away.
TYPED_TEST(Krylov, SoIsBiCgStab) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const Operator<double, S> A(
      ctx, reference::upload(ctx, reference::matrix_from_entries<double>(host, 2, 2, {{0, 0, 1.0}, {1, 1, 1.0}})));
  const MultiVector<double, S> b = reference::upload(ctx, std::vector<double>{1.0, 0.0});
  StubbornPreconditioner<S> preconditioner(ctx, {1e-10, 1.0}, {1.0, 1e-3});
  BiCgStab<double, S> method(ctx, A, preconditioner, 1);
  MultiVector<double, S> x(ctx, 2);
  fill<double>(ctx, 0.0, x);
  const SolveResult result = iterate<double, S>(ctx, A, method, b.view(), x, {.tolerance = 1e-8});
  EXPECT_EQ(result.reason, StopReason::diverged) << describe(result.reason);
  EXPECT_EQ(result.iterations, 2);
}

TYPED_TEST(Krylov, ConjugateGradientsSayWhatIsIndefinite) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto reason_of = [&](const std::vector<double>& diagonal, const std::vector<double>& d, bool flexible) {
    std::vector<reference::Entry> entries;
    for (Index i = 0; i < 4; ++i) {
      entries.push_back({i, i, diagonal[static_cast<std::size_t>(i)]});
    }
    const Operator<double, S> A(ctx,
                                reference::upload(ctx, reference::matrix_from_entries<double>(host, 4, 4, entries)));
    const MultiVector<double, S> b = reference::upload(ctx, std::vector<double>(4, 1.0));
    MultiVector<double, S> x(ctx, 4);
    fill<double>(ctx, 0.0, x);
    DiagonalPreconditioner<double, S> preconditioner(ctx, d);
    ConjugateGradients<double, S> method(ctx, A, preconditioner, 1, flexible);
    return iterate<double, S>(ctx, A, method, b.view(), x, {.tolerance = 1e-8}).reason;
  };
  for (const bool flexible : {false, true}) {
    EXPECT_EQ(reason_of({3, 1, 2, 5}, {1, 1, 1, 1}, flexible), StopReason::converged);
    EXPECT_EQ(reason_of({3, -1, 2, -5}, {1, 1, 1, 1}, flexible), StopReason::indefinite_matrix);
    EXPECT_EQ(reason_of({3, 1, 2, 5}, {1, -0.125, 1, 1}, flexible), StopReason::indefinite_preconditioner);
    EXPECT_EQ(reason_of({3, -1, 2, -5}, {1, -0.125, 1, 1}, flexible), StopReason::indefinite_preconditioner);
  }
}

}  // namespace
}  // namespace amgsolve
