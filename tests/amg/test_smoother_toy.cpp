#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "amg/cycle.hpp"
#include "amg/stationary_iteration.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// The worked example of docs/extending.md: a smoother of one's own in a multigrid cycle.
namespace amgsolve {
namespace {

/// Richardson iteration, x += ω (b − A x) with ω = 1 / (ρ(D⁻¹A) max d_i) ≤ 1 / ρ(A).
template <class T, MemorySpace S>
class Richardson : public Smoother<T, S> {
 public:
  explicit Richardson(T omega) : omega_(omega) {}

  void sweep(Context<S>& ctx, const Operator<T, S>& A, Side, Start start, MultiVectorView<const T, S> b,
             Iterate<T, S>& iterate) const override {
    if (start == Start::zero) {
      axpby<T>(ctx, omega_, b, T{0}, iterate.x);
      return;
    }
    A.residual(ctx, b, iterate.x, iterate.next);
    axpby<T>(ctx, omega_, iterate.next, T{1}, iterate.x);
  }

  std::size_t bytes() const override { return 0; }

 private:
  T omega_;
};

template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_richardson(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                const SmootherOptions&) {
  const std::vector<T> d = reference::download(ctx, level.diagonal);
  const double largest = *std::max_element(d.begin(), d.end());
  return std::make_unique<Richardson<T, S>>(static_cast<T>(1.0 / (level.spectral_radius * largest)));
}

template <class T, MemorySpace S>
class OneCycle : public Preconditioner<T, S> {
 public:
  explicit OneCycle(Cycle<T, S>& cycle) : cycle_(&cycle) {}
  MultiVectorView<const T, S> apply(Context<S>& ctx, MultiVectorView<const T, S> r) override {
    return cycle_->apply(ctx, r);
  }

 private:
  Cycle<T, S>* cycle_;
};

template <class I>
class ToySmoother : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(ToySmoother, reference::Instances, reference::InstanceNames);

TYPED_TEST(ToySmoother, SmoothsInACycle) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<S> ctx;
  const Index n = 60 * 50;
  MultiVector<T, S> b(ctx, n);
  MultiVector<T, S> x(ctx, n);
  fill<T>(ctx, T{1}, b);
  fill<T>(ctx, T{0}, x);
  AmgOptions options;
  options.coarse_size = 20;
  const auto problem = reference::poisson(reference::grid({60, 50}), Discretization::fd);
  const Hierarchy<T, S> hierarchy(ctx, generate_matrix<T>(ctx, problem), std::as_const(b), options, Reuse::none,
                                  make_richardson<T, S>);
  ASSERT_GT(hierarchy.levels().size(), 2U);
  Cycle<T, S> cycle(ctx, hierarchy, options);
  OneCycle<T, S> preconditioner(cycle);
  const Operator<T, S>& A = hierarchy.levels().front().A;
  StationaryIteration<T, S> method(ctx, A, preconditioner, b.columns());
  SolverOptions solver;
  solver.tolerance = 1e-4;
  const SolveResult result = iterate<T, S>(ctx, A, method, std::as_const(b), x, solver);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LT(result.convergence_factor, 0.8);
}

}  // namespace
}  // namespace amgsolve
