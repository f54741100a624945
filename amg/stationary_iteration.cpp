#include "amg/stationary_iteration.hpp"

#include <cmath>
#include <utility>

#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
StationaryIteration<T, S>::StationaryIteration(Context<S>& ctx, const Operator<T, S>& A,
                                               Preconditioner<T, S>& preconditioner, Index columns)
    : A_(&A),
      preconditioner_(&preconditioner),
      q_(ctx, A.rows(), columns),
      squares_(ctx, 2 * static_cast<std::size_t>(columns)),
      host_squares_(squares_.size()),
      units_(ctx, columns) {}

template <class T, MemorySpace S>
void StationaryIteration<T, S>::restart(Context<S>& ctx, Span<const double, S> units) {
  units_.restart(ctx, units);
}

template <class T, MemorySpace S>
void StationaryIteration<T, S>::step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r,
                                     std::span<StepOutcome> columns) {
  const MultiVectorView<const T, S> z = preconditioner_->apply(ctx, r);
  ScopedTimer timer(ctx, "krylov", 0);
  A_->apply(ctx, T{1}, z, T{0}, q_);
  const Span<double, S> residual_squares = squares_.span().subspan(0, columns.size());
  const Span<double, S> step_squares = squares_.span().subspan(columns.size(), columns.size());
  dot<T>(ctx, q_, q_, step_squares);
  // A whole step of what is finite.
  cg_update<T>(ctx, std::as_const(step_squares), std::as_const(step_squares), units_.values(), z, q_, x, r,
               residual_squares);
  to_host(ctx, squares_, host_squares_.data());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    columns[j] = {std::sqrt(host_squares_[j]), {}};
    if (!std::isfinite(host_squares_[columns.size() + j])) {
      columns[j].breakdown = StopReason::not_finite;
    } else if (host_squares_[columns.size() + j] == 0.0) {
      columns[j].breakdown = StopReason::exhausted;
    } else if (columns[j].residual_norm > diverging_growth) {  // it began with a norm of about 1
      columns[j].breakdown = StopReason::diverged;
    }
  }
}

#define AMGSOLVE_INSTANTIATE(T, S) template class StationaryIteration<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
