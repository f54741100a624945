#include "amg/preconditioner.hpp"

#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {

template <class T, class M, MemorySpace S>
FatView<const T, S> AmgPreconditioner<T, M, S>::apply(Context<S>& ctx, FatView<const T, S> r) {
  if constexpr (std::is_same_v<T, M>) {
    return hierarchy_->cycle(ctx, r);
  } else {
    if (r_.rows() != r.rows || r_.columns() != r.columns) {
      r_ = FatVector<M, S>(ctx, r.rows, r.columns);
      z_ = FatVector<T, S>(ctx, r.rows, r.columns);
    }
    {
      ScopedTimer timer(ctx, "conversion");
      copy<T, M>(ctx, r, r_);
    }
    const FatView<const M, S> z = hierarchy_->cycle(ctx, r_);
    ScopedTimer timer(ctx, "conversion");
    copy<M, T>(ctx, z, z_);
    return z_;
  }
}

template class AmgPreconditioner<float, float, Host>;
template class AmgPreconditioner<double, double, Host>;
template class AmgPreconditioner<double, float, Host>;
#if AMGSOLVE_HAVE_CUDA
template class AmgPreconditioner<float, float, Cuda>;
template class AmgPreconditioner<double, double, Cuda>;
template class AmgPreconditioner<double, float, Cuda>;
#endif

}  // namespace amgsolve
