#include "amg/multigrid_iteration.hpp"

#include "core/timer.hpp"
#include "spmv/blas1.hpp"
#include "spmv/spmv.hpp"

namespace amgsolve {

template <class T, class M, MemorySpace S>
std::optional<StopReason> MultigridIteration<T, M, S>::step(Context<S>& ctx, FatView<T, S> x, FatView<T, S> r,
                                                            std::span<double> residual_squared) {
  const FatView<const T, S> z = preconditioner_->apply(ctx, r);
  ScopedTimer timer(ctx, "krylov", 0);
  axpby<T>(ctx, T{1}, z, T{1}, x);
  residual<T>(ctx, *A_, b_, x, r);
  dot<T>(ctx, r, r, scalars_);
  to_host(ctx, scalars_, residual_squared.data());
  return std::nullopt;
}

template class MultigridIteration<float, float, Host>;
template class MultigridIteration<double, double, Host>;
template class MultigridIteration<double, float, Host>;
#if AMGSOLVE_HAVE_CUDA
template class MultigridIteration<float, float, Cuda>;
template class MultigridIteration<double, double, Cuda>;
template class MultigridIteration<double, float, Cuda>;
#endif

}  // namespace amgsolve
