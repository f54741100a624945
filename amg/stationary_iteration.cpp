#include "amg/stationary_iteration.hpp"

#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
std::optional<StopReason> StationaryIteration<T, S>::step(Context<S>& ctx, FatView<T, S> x, FatView<T, S> r,
                                                          std::span<double> residual_squared) {
  const FatView<const T, S> z = preconditioner_->apply(ctx, r);
  ScopedTimer timer(ctx, "krylov", 0);
  axpby<T>(ctx, T{1}, z, T{1}, x);
  A_->residual(ctx, b_, x, r);
  dot<T>(ctx, r, r, scalars_);
  to_host(ctx, scalars_, residual_squared.data());
  return std::nullopt;
}

#define AMGSOLVE_INSTANTIATE(T, S) template class StationaryIteration<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
