#include "amg/iterative_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "amg/convergence.hpp"
#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

void take_roots(std::vector<double>& squares) {
  for (double& x : squares) {
    x = std::sqrt(x);
  }
}

}  // namespace

template <class T, MemorySpace S>
SolveResult iterate(Context<S>& ctx, const Operator<T, S>& A, IterativeMethod<T, S>& method, FatView<const T, S> b,
                    FatView<T, S> x, const SolverOptions& options) {
  const auto columns = static_cast<std::size_t>(b.columns);
  FatVector<T, S> r(ctx, b.rows, b.columns);
  Buffer<double, S> scalars(ctx, columns);
  std::vector<double> norms(columns);
  const auto norms_of = [&]<class V>(FatView<const V, S> v) {
    std::vector<double> result(columns);
    dot<V>(ctx, v, v, scalars);
    to_host(ctx, scalars, result.data());
    take_roots(result);
    return result;
  };
  const auto true_norms = [&] {
    ScopedTimer timer(ctx, "true residual", 0);
    FatVector<double, S> true_residual(ctx, b.rows, b.columns);
    A.residual_in_double(ctx, b, x, true_residual);
    return norms_of(std::as_const(true_residual).view());
  };

  std::vector<double> rhs_norms;
  {
    ScopedTimer timer(ctx, "krylov", 0);
    A.residual(ctx, b, x, r);
    rhs_norms = norms_of(b);
    norms = norms_of(std::as_const(r).view());
  }
  if (!std::all_of(rhs_norms.begin(), rhs_norms.end(), [](double norm) { return std::isfinite(norm); })) {
    throw InputError("the right-hand side contains NaN or infinity");
  }
  if (!std::all_of(norms.begin(), norms.end(), [](double norm) { return std::isfinite(norm); })) {
    throw InputError("the initial guess contains NaN or infinity");
  }

  Convergence convergence(options, rhs_norms, norms);
  double last_true_residual = std::numeric_limits<double>::infinity();
  for (;;) {
    method.restart(ctx);
    std::optional<StopReason> reason = convergence.stop_reason();
    while (!reason) {
      const std::optional<StopReason> breakdown = method.step(ctx, x, r, norms);
      take_roots(norms);
      convergence.add_iteration(norms);
      ctx.notify({.phase = "solve",
                  .step = convergence.iterations(),
                  .steps = options.max_iterations,
                  .residual = convergence.relative_residual()});
      reason = convergence.stop_reason();
      if (breakdown && reason != StopReason::converged) {
        reason = breakdown;
      }
    }
    norms = true_norms();
    if (reason != StopReason::converged) {
      return convergence.result(*reason, norms);
    }
    convergence.correct(norms);
    const double true_residual = convergence.relative_residual();
    if (true_residual <= options.tolerance) {
      return convergence.result(StopReason::converged, norms);
    }
    if (true_residual > last_true_residual / 2.0) {
      return convergence.result(StopReason::stagnated, norms);
    }
    last_true_residual = true_residual;
    ScopedTimer timer(ctx, "krylov", 0);
    A.residual(ctx, b, x, r);
  }
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                              \
  template SolveResult iterate(Context<S>&, const Operator<T, S>&, IterativeMethod<T, S>&, FatView<const T, S>, \
                               FatView<T, S>, const SolverOptions&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
