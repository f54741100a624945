#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "amg/bicgstab.hpp"
#include "amg/conjugate_gradients.hpp"
#include "amg/gmres.hpp"
#include "amg/minres.hpp"
#include "amg/stationary_iteration.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"
#include "tests/reference/dense_decompositions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

/// GMRES and BiCGStab, with preconditioners that know no hierarchy.
namespace amgsolve {
namespace {

/// M = c_k diag(d) at the k-th call, with c_k = 1 or one of two numbers in turn.
template <class T, MemorySpace S>
class ScalingPreconditioner : public Preconditioner<T, S> {
 public:
  ScalingPreconditioner(Context<S>& ctx, const std::vector<T>& d, Index columns, bool varies)
      : z_(ctx, static_cast<Index>(d.size()), columns), d_(reference::upload_buffer(ctx, d)), varies_(varies) {}

  MultiVectorView<const T, S> apply(Context<S>& ctx, MultiVectorView<const T, S> r) override {
    scale_rows<T>(ctx, d_, r, z_);
    is_even_ = !is_even_;
    if (varies_ && is_even_) {
      axpby<T>(ctx, T{0}, r, T(0.25), z_);
    }
    return std::as_const(z_);
  }

 private:
  MultiVector<T, S> z_;
  Buffer<T, S> d_;
  bool varies_;
  bool is_even_ = false;
};

/// Upwind differences of convection with a reaction term, scaled unevenly: far from symmetric, and regular.
struct Problem {
  static constexpr Index n = 60;

  Problem() : dense(Eigen::MatrixXd::Zero(n, n)), inverse_diagonal(n) {
    for (Index i = 0; i < n; ++i) {
      const double scale = std::pow(10.0, (i % 5) / 4.0);
      for (const auto& [j, value] : {std::pair(i - 1, -1.7), std::pair(i, 2.4), std::pair(i + 1, -0.3)}) {
        if (j >= 0 && j < n) {
          entries.push_back({i, j, scale * value});
          dense(i, j) = scale * value;
        }
      }
      inverse_diagonal[static_cast<std::size_t>(i)] = 1.0 / dense(i, i);
    }
  }

  std::vector<reference::Entry> entries;
  Eigen::MatrixXd dense;
  std::vector<double> inverse_diagonal;
};

template <class I>
class KrylovOfAny : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(KrylovOfAny, reference::DoubleInstances, reference::InstanceNames);

template <MemorySpace S>
Operator<double, S> matrix_of(Context<S>& ctx, const Problem& problem) {
  Context<Host> host;
  return {ctx,
          reference::upload(ctx, reference::matrix_from_entries<double>(host, problem.n, problem.n, problem.entries))};
}

/// ‖b − A x‖ of the best x in the space that so many products of A D⁻¹ with b span.
double smallest_residual(const Problem& problem, const Eigen::VectorXd& b, int steps) {
  const Eigen::Map<const Eigen::VectorXd> d(problem.inverse_diagonal.data(), problem.n);
  return reference::smallest_krylov_residual(problem.dense * d.asDiagonal(), b, steps);
}

TYPED_TEST(KrylovOfAny, GmresFindsTheSmallestResidualOfItsSpace) {
  using S = typename TypeParam::Space;
  const Problem problem;
  Context<S> ctx;
  const auto A = matrix_of(ctx, problem);
  constexpr Index columns = 3;
  MultiVector<double, S> b(ctx, problem.n, columns);
  fill_random<double>(ctx, 5, b);
  const std::vector<double> b_host = reference::download(ctx, b);
  for (const bool flexible : {false, true}) {
    for (const int steps : {1, 4, 12}) {
      ScalingPreconditioner<double, S> preconditioner(ctx, problem.inverse_diagonal, columns, false);
      Gmres<double, S> method(ctx, A, preconditioner, columns, 20, flexible);
      MultiVector<double, S> x(ctx, problem.n, columns);
      fill<double>(ctx, 0.0, x);
      SolverOptions options;
      options.max_iterations = steps;
      options.tolerance = 1e-14;
      const SolveResult result = iterate<double, S>(ctx, A, method, b.view(), x, options);
      EXPECT_EQ(result.iterations, steps);
      const std::vector<double> values = reference::download(ctx, x);
      for (Index j = 0; j < columns; ++j) {
        using Strided = Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<>>;
        const Strided own_b(b_host.data() + j, problem.n, Eigen::InnerStride<>(columns));
        const Strided own_x(values.data() + j, problem.n, Eigen::InnerStride<>(columns));
        const double residual = (own_b - problem.dense * own_x).norm();
        EXPECT_NEAR(residual, smallest_residual(problem, own_b, steps), 1e-10 * own_b.norm());
      }
    }
  }
}

TYPED_TEST(KrylovOfAny, EveryMethodConvergesAcrossRestartsEachColumnAlone) {
  using S = typename TypeParam::Space;
  const Problem problem;
  Context<S> ctx;
  const auto A = matrix_of(ctx, problem);
  constexpr Index columns = 3;
  std::vector<double> b_host = reference::random_values<double>(problem.n * columns, 4);
  for (std::size_t i = 0; i < static_cast<std::size_t>(problem.n); ++i) {
    b_host[columns * i + 1] = 0.0;     // solved before it begins
    b_host[columns * i + 2] *= 1e150;  // whose squares are no numbers
  }
  const MultiVector<double, S> b = reference::upload(ctx, b_host, columns);
  SolverOptions options;
  options.tolerance = 1e-12;
  options.max_iterations = 2000;
  ScalingPreconditioner<double, S> fixed(ctx, problem.inverse_diagonal, columns, false);
  ScalingPreconditioner<double, S> varying(ctx, problem.inverse_diagonal, columns, true);
  const auto expect_solved = [&](IterativeMethod<double, S>& method) {
    MultiVector<double, S> x(ctx, problem.n, columns);
    fill<double>(ctx, 0.0, x);
    const SolveResult result = iterate<double, S>(ctx, A, method, b.view(), x, options);
    EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
    EXPECT_EQ(result.column_iterations[1], 0);
    const std::vector<double> values = reference::download(ctx, x);
    for (std::size_t j = 0; j < columns; ++j) {
      double error = 0.0;
      double norm = 0.0;
      for (Index i = 0; i < problem.n; ++i) {
        double r = b_host[static_cast<std::size_t>(i) * columns + j];
        norm = std::max(norm, std::abs(r));
        for (Index k = 0; k < problem.n; ++k) {
          r -= problem.dense(i, k) * values[static_cast<std::size_t>(k) * columns + j];
        }
        error = std::max(error, std::abs(r));
      }
      EXPECT_LE(error, 1e-11 * norm);
    }
    return result.iterations;
  };
  Gmres<double, S> whole(ctx, A, fixed, columns, 60, false);
  Gmres<double, S> restarted(ctx, A, fixed, columns, 7, false);
  Gmres<double, S> flexible(ctx, A, varying, columns, 7, true);
  BiCgStab<double, S> bicgstab(ctx, A, fixed, columns);
  const int best = expect_solved(whole);
  EXPECT_LE(best, problem.n);
  EXPECT_GT(expect_solved(restarted), best);
  expect_solved(flexible);
  // A step is two products.
  EXPECT_LE(expect_solved(bicgstab), best);
}

/// Whose products have NaN in one column from a call on.
template <MemorySpace S>
class FailingPreconditioner : public Preconditioner<double, S> {
 public:
  FailingPreconditioner(Context<S>& ctx, Index rows, Index columns, Index column, int calls)
      : z_(ctx, rows, columns), factors_(static_cast<std::size_t>(columns), 1.0), column_(column), calls_(calls) {}

  MultiVectorView<const double, S> apply(Context<S>& ctx, MultiVectorView<const double, S> r) override {
    if (calls_-- == 0) {
      factors_[static_cast<std::size_t>(column_)] = std::numeric_limits<double>::quiet_NaN();
    }
    scale_columns<double, double>(ctx, reference::upload_buffer(ctx, factors_), r, z_);
    return std::as_const(z_);
  }

 private:
  MultiVector<double, S> z_;
  std::vector<double> factors_;
  Index column_;
  int calls_;
};

/// The other columns go on, and converge.
TYPED_TEST(KrylovOfAny, AColumnThatBreaksDownKeepsItsLastFiniteX) {
  using S = typename TypeParam::Space;
  constexpr Index n = 40;
  constexpr Index columns = 3;
  Context<Host> host;
  Context<S> ctx;
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < n; ++i) {
    for (const auto& [j, value] : {std::pair(i - 1, -0.3), std::pair(i, 1.0), std::pair(i + 1, -0.3)}) {
      if (j >= 0 && j < n) {
        entries.push_back({i, j, value});
      }
    }
  }
  const Operator<double, S> A(ctx, reference::upload(ctx, reference::matrix_from_entries<double>(host, n, n, entries)));
  const MultiVector<double, S> b = reference::upload(ctx, reference::random_values<double>(n * columns, 4), columns);
  const std::vector<double> guess = reference::random_values<double>(n * columns, 5);
  const auto solve = [&](const auto& make, int calls, int max_iterations) {
    FailingPreconditioner<S> preconditioner(ctx, n, columns, 1, calls);
    const std::unique_ptr<IterativeMethod<double, S>> method = make(preconditioner);
    MultiVector<double, S> x = reference::upload(ctx, guess, columns);
    SolverOptions options;
    options.max_iterations = max_iterations;
    const SolveResult result = iterate<double, S>(ctx, A, *method, b.view(), x, options);
    if (calls < max_iterations) {
      EXPECT_EQ(result.reason, StopReason::not_finite) << describe(result.reason);
      EXPECT_LE(result.relative_residual, result.residual_history.front());
    }
    std::vector<double> column;
    const std::vector<double> values = reference::download(ctx, x);
    for (std::size_t i = 1; i < values.size(); i += columns) {
      column.push_back(values[i]);
    }
    return column;
  };
  const auto expect_kept = [&](const auto& make, int calls_before, int calls_an_iteration) {
    for (const int whole : {0, 3}) {
      const int calls = calls_before + calls_an_iteration * whole;
      const std::vector<double> kept = solve(make, calls, 500);
      EXPECT_EQ(kept, solve(make, 1000, whole)) << "after " << calls << " calls";
    }
  };
  using Method = std::unique_ptr<IterativeMethod<double, S>>;
  for (const bool flexible : {false, true}) {
    expect_kept(
        [&](auto& M) -> Method {
          return std::make_unique<ConjugateGradients<double, S>>(ctx, A, M, columns, flexible);
        },
        0, 1);
  }
  expect_kept([&](auto& M) -> Method { return std::make_unique<StationaryIteration<double, S>>(ctx, A, M, columns); },
              0, 1);
  expect_kept([&](auto& M) -> Method { return std::make_unique<Minres<double, S>>(ctx, A, M, columns); }, 1, 1);
  expect_kept([&](auto& M) -> Method { return std::make_unique<BiCgStab<double, S>>(ctx, A, M, columns); }, 0, 2);
  expect_kept([&](auto& M) -> Method { return std::make_unique<Gmres<double, S>>(ctx, A, M, columns, 30, true); }, 0,
              1);
  // Its correction takes a call, too, which fails with the others.
  const auto gmres = [&](auto& M) -> Method {
    return std::make_unique<Gmres<double, S>>(ctx, A, M, columns, 30, false);
  };
  EXPECT_EQ(solve(gmres, 3, 500), solve(gmres, 1000, 0));
  EXPECT_EQ(solve(gmres, 0, 500), solve(gmres, 1000, 0));
}

/// Whose products have the other sign, or are NaN, in one column at one call.
template <MemorySpace S>
class StumblingPreconditioner : public Preconditioner<double, S> {
 public:
  StumblingPreconditioner(Context<S>& ctx, Index rows, std::vector<double> factors, int call)
      : z_(ctx, rows, static_cast<Index>(factors.size())), factors_(std::move(factors)), calls_(call) {}

  MultiVectorView<const double, S> apply(Context<S>& ctx, MultiVectorView<const double, S> r) override {
    const std::vector<double> usual(factors_.size(), 1.0);
    scale_columns<double, double>(ctx, reference::upload_buffer(ctx, calls_-- == 0 ? factors_ : usual), r, z_);
    return std::as_const(z_);
  }

 private:
  MultiVector<double, S> z_;
  std::vector<double> factors_;
  int calls_;
};

/// 0.9 on the diagonal with −0.3 beside it, then `block`.
template <MemorySpace S>
Operator<double, S> tridiagonal_beside(Context<S>& ctx, Index n, const std::vector<reference::Entry>& block) {
  Context<Host> host;
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
      entries.push_back({i, j, i == j ? 0.9 : -0.3});
    }
  }
  for (const reference::Entry& entry : block) {
    entries.push_back({n + entry.row, n + entry.col, entry.value});
  }
  return {ctx, reference::upload(ctx, reference::matrix_from_entries<double>(host, n + 2, n + 2, entries))};
}

/// The column of a vector of two.
template <MemorySpace S>
std::vector<double> second_column(Context<S>& ctx, const MultiVector<double, S>& x) {
  std::vector<double> column;
  const std::vector<double> values = reference::download(ctx, x);
  for (std::size_t i = 1; i < values.size(); i += 2) {
    column.push_back(values[i]);
  }
  return column;
}

TYPED_TEST(KrylovOfAny, AColumnThatBrokeDownOnceIsLeftAsItIs) {
  using S = typename TypeParam::Space;
  constexpr Index n = 40;
  Context<S> ctx;
  const Operator<double, S> A = tridiagonal_beside(ctx, n, {{0, 0, 1.0}, {1, 1, 0.5}});
  const MultiVector<double, S> b = reference::upload(ctx, reference::random_values<double>(2 * (n + 2), 4), 2);
  const auto solve = [&](const auto& make, double factor, int max_iterations) {
    StumblingPreconditioner<S> preconditioner(ctx, n + 2, {1.0, factor}, 3);
    const std::unique_ptr<IterativeMethod<double, S>> method = make(preconditioner);
    MultiVector<double, S> x(ctx, n + 2, 2);
    fill<double>(ctx, 0.0, x);
    SolverOptions options;
    options.max_iterations = max_iterations;
    EXPECT_EQ((iterate<double, S>(ctx, A, *method, b.view(), x, options).iterations), max_iterations);
    return second_column(ctx, x);
  };
  using Method = std::unique_ptr<IterativeMethod<double, S>>;
  for (const bool flexible : {false, true}) {
    const auto cg = [&](auto& M) -> Method {
      return std::make_unique<ConjugateGradients<double, S>>(ctx, A, M, 2, flexible);
    };
    EXPECT_EQ(solve(cg, -1.0, 8), solve(cg, -1.0, 3));
  }
  const auto stationary = [&](auto& M) -> Method {
    return std::make_unique<StationaryIteration<double, S>>(ctx, A, M, 2);
  };
  EXPECT_EQ(solve(stationary, std::numeric_limits<double>::quiet_NaN(), 8),
            solve(stationary, std::numeric_limits<double>::quiet_NaN(), 3));
}

TYPED_TEST(KrylovOfAny, AColumnThatHasConvergedIsLeftAsItIs) {
  using S = typename TypeParam::Space;
  constexpr Index n = 40;
  Context<S> ctx;
  // The second column is solved by its first step, but for some of what is nearly a null vector.
  const Operator<double, S> A =
      tridiagonal_beside(ctx, n, {{0, 0, 1.0}, {0, 1, 1.0}, {1, 0, 1.0}, {1, 1, 1.0 + 1e-12}});
  std::vector<double> b = reference::random_values<double>(2 * (n + 2), 4);
  for (std::size_t i = 0; i < n + 2; ++i) {
    b[2 * i] = i < n ? b[2 * i] : 0.0;
    b[2 * i + 1] = i < n ? 0.0 : i == n ? 1.0 + 1e-11 : 1.0 - 1e-11;
  }
  for (const bool flexible : {false, true}) {
    StumblingPreconditioner<S> identity(ctx, n + 2, {1.0, 1.0}, 0);
    ConjugateGradients<double, S> method(ctx, A, identity, 2, flexible);
    MultiVector<double, S> x(ctx, n + 2, 2);
    fill<double>(ctx, 0.0, x);
    const SolveResult result =
        iterate<double, S>(ctx, A, method, reference::upload(ctx, b, 2).view(), x, {.tolerance = 1e-10});
    EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
    EXPECT_LE(result.column_iterations[1], 2);
    for (const double value : second_column(ctx, x)) {
      EXPECT_LE(std::abs(value), 1.0);
    }
  }
}

TYPED_TEST(KrylovOfAny, StepsMoveNoColumnThatIsLeft) {
  using S = typename TypeParam::Space;
  constexpr Index n = 40;
  Context<S> ctx;
  const Operator<double, S> A = tridiagonal_beside(ctx, n, {{0, 0, 1.0}, {1, 1, 2.0}});
  StumblingPreconditioner<S> identity(ctx, n + 2, {1.0, 1.0}, 0);
  const std::vector<double> ones(2, 1.0);
  const Buffer<double, S> units = upload(ctx, Span<const double, Host>(ones.data(), ones.size()));
  const auto expect_left = [&](auto&& method) {
    const std::vector<double> b = reference::random_values<double>(2 * (n + 2), 4);
    MultiVector<double, S> r = reference::upload(ctx, b, 2);
    MultiVector<double, S> x(ctx, n + 2, 2);
    fill<double>(ctx, 0.0, x);
    method.restart(ctx, units.span());
    method.leave(ctx, 0);
    std::vector<StepOutcome> columns(2);
    for (int step = 0; step < 3; ++step) {
      method.step(ctx, x, r, columns);
    }
    const std::vector<double> values = reference::download(ctx, std::as_const(x).view().span());
    for (std::size_t i = 0; i < values.size(); i += 2) {
      ASSERT_EQ(values[i], 0.0) << i;
    }
    EXPECT_GT(norms<double>(ctx, std::as_const(x))[1], 0.0);
  };
  expect_left(ConjugateGradients<double, S>(ctx, A, identity, 2, false));
  expect_left(Minres<double, S>(ctx, A, identity, 2));
  expect_left(BiCgStab<double, S>(ctx, A, identity, 2));
}

TYPED_TEST(KrylovOfAny, AColumnThatHasDivergedGrowsNoFurther) {
  using S = typename TypeParam::Space;
  constexpr Index n = 40;
  Context<S> ctx;
  // 1 − 4 takes the second column three times as far with every step, and 1 − 0.02 the first one long.
  const Operator<double, S> A = tridiagonal_beside(ctx, n, {{0, 0, 0.02}, {1, 1, 4.0}});
  StumblingPreconditioner<S> identity(ctx, n + 2, {1.0, 1.0}, 0);
  StationaryIteration<double, S> method(ctx, A, identity, 2);
  MultiVector<double, S> x(ctx, n + 2, 2);
  fill<double>(ctx, 0.0, x);
  std::vector<double> b(2 * (n + 2), 1.0);
  b[2 * (n + 1)] = 0.0;
  const SolveResult result =
      iterate<double, S>(ctx, A, method, reference::upload(ctx, b, 2).view(), x, {.tolerance = 1e-8});
  EXPECT_EQ(result.reason, StopReason::diverged) << describe(result.reason);
  EXPECT_GE(result.iterations, 500);
  EXPECT_LE(result.relative_residual, 1e17);
}

TYPED_TEST(KrylovOfAny, TheResidualOfGmresNeverGrows) {
  using S = typename TypeParam::Space;
  const Problem problem;
  Context<S> ctx;
  const auto A = matrix_of(ctx, problem);
  const MultiVector<double, S> b = reference::upload(ctx, reference::random_values<double>(problem.n, 8));
  ScalingPreconditioner<double, S> preconditioner(ctx, problem.inverse_diagonal, 1, false);
  Gmres<double, S> method(ctx, A, preconditioner, 1, 9, true);
  MultiVector<double, S> x(ctx, problem.n);
  fill<double>(ctx, 0.0, x);
  SolverOptions options;
  options.tolerance = 1e-10;
  const std::vector<double> history = iterate<double, S>(ctx, A, method, b.view(), x, options).residual_history;
  for (std::size_t k = 1; k < history.size(); ++k) {
    EXPECT_LE(history[k], history[k - 1] * (1.0 + 1e-12));
  }
}

// Rows in units of their own, b as well: in norms of D⁻¹ r nothing is different.
TYPED_TEST(KrylovOfAny, GmresTakesRowsOfAnySize) {
  using S = typename TypeParam::Space;
  constexpr Index columns = 2;
  const Problem problem;
  Context<Host> host;
  Context<S> ctx;
  const auto unit = [](std::size_t i) { return i % 3 == 0 ? 0x1p-30 : i % 3 == 1 ? 1.0 : 0x1p40; };
  const std::vector<double> b = reference::random_values<double>(std::size_t{problem.n} * columns, 8);
  const auto solve = [&](bool are_scaled, bool flexible) {
    std::vector<double> inverse_diagonal = problem.inverse_diagonal;
    std::vector<double> scaled_b = b;
    for (std::size_t i = 0; are_scaled && i < inverse_diagonal.size(); ++i) {
      inverse_diagonal[i] /= unit(i);
      for (std::size_t c = 0; c < columns; ++c) {
        scaled_b[i * columns + c] *= unit(i);
      }
    }
    CsrMatrix<double, Host> rows = reference::changed_entries<double>(
        host, reference::matrix_from_entries<double>(host, problem.n, problem.n, problem.entries),
        [&](Index i, Index, double value) { return are_scaled ? value * unit(static_cast<std::size_t>(i)) : value; });
    const Operator<double, S> A(ctx, reference::upload(ctx, std::move(rows)));
    ScalingPreconditioner<double, S> preconditioner(ctx, inverse_diagonal, columns, flexible);
    Gmres<double, S> method(ctx, A, preconditioner, columns, 25, flexible, true);
    MultiVector<double, S> x(ctx, problem.n, columns);
    fill<double>(ctx, 0.0, x);
    SolverOptions options;
    options.tolerance = 1e-10;
    const SolveResult result =
        iterate<double, S>(ctx, A, method, reference::upload(ctx, scaled_b, columns).view(), x, options, true);
    EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
    return std::pair(result.iterations, reference::download(ctx, x.view().span()));
  };
  for (const bool flexible : {false, true}) {
    const auto [iterations, expected] = solve(false, flexible);
    const auto [taken, found] = solve(true, flexible);
    EXPECT_LE(taken, iterations + iterations / 4);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], 1e-5) << i;
    }
  }
}

TYPED_TEST(KrylovOfAny, ASingularMatrixExhaustsTheirSpaces) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  // A shift: nilpotent, so that b is in no Krylov space's image.
  constexpr Index n = 6;
  std::vector<reference::Entry> entries;
  for (Index i = 0; i + 1 < n; ++i) {
    entries.push_back({i + 1, i, 1.0});
  }
  const Operator<double, S> A(ctx, reference::upload(ctx, reference::matrix_from_entries<double>(host, n, n, entries)));
  const MultiVector<double, S> b = reference::upload(ctx, std::vector<double>{1, 0, 0, 0, 0, 0});
  ScalingPreconditioner<double, S> identity(ctx, std::vector<double>(n, 1.0), 1, false);
  Gmres<double, S> gmres(ctx, A, identity, 1, 30, false);
  BiCgStab<double, S> bicgstab(ctx, A, identity, 1);
  for (IterativeMethod<double, S>* method :
       {static_cast<IterativeMethod<double, S>*>(&gmres), static_cast<IterativeMethod<double, S>*>(&bicgstab)}) {
    MultiVector<double, S> x(ctx, n);
    fill<double>(ctx, 0.0, x);
    const SolveResult result = iterate<double, S>(ctx, A, *method, b.view(), x, {});
    EXPECT_EQ(result.reason, StopReason::exhausted) << describe(result.reason);
    EXPECT_EQ(result.relative_residual, 1.0);
  }
}

/// After the first half of the first step r is (9, -3) / 8, which A = diag(1, c) takes to what is orthogonal to it but
/// for rounding errors.
TYPED_TEST(KrylovOfAny, BiCgStabBreaksDownWhereItsSecondHalfTakesNothingOff) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const double c = -9.0 - 0x1p-48;
  const Operator<double, S> A(
      ctx, reference::upload(ctx, reference::matrix_from_entries<double>(host, 2, 2, {{0, 0, 1.0}, {1, 1, c}})));
  const MultiVector<double, S> b = reference::upload(ctx, std::vector<double>{1.0, 3.0});
  ScalingPreconditioner<double, S> identity(ctx, {1.0, 1.0}, 1, false);
  BiCgStab<double, S> method(ctx, A, identity, 1);
  MultiVector<double, S> x(ctx, 2);
  fill<double>(ctx, 0.0, x);
  std::vector<StepOutcome> columns(1);
  MultiVector<double, S> r = reference::upload(ctx, std::vector<double>{1.0, 3.0});
  method.restart(ctx, reference::upload_buffer(ctx, std::vector<double>{1.0}));
  method.step(ctx, x, r, columns);
  EXPECT_EQ(columns[0].breakdown, StopReason::exhausted);
  EXPECT_NEAR(columns[0].residual_norm, std::sqrt(90.0) / 8.0, 1e-14);
}

}  // namespace
}  // namespace amgsolve
