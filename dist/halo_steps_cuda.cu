#include "core/parallel_cuda.cuh"
#include "dist/halo_steps.hpp"

namespace amgsolve::detail {

template <class T>
void pack_rows(Context<Cuda>& ctx, Span<const Index, Cuda> rows, MultiVectorView<const T, Cuda> own,
               Span<T, Cuda> packed) {
  const Index* const row = rows.data();
  const T* const from = own.data;
  T* const to = packed.data();
  const std::int64_t k = own.columns;
  parallel_for(ctx, static_cast<std::int64_t>(packed.size()),
               [=] __device__(std::int64_t i) { to[i] = from[row[i / k] * k + i % k]; });
}

#define AMGSOLVE_INSTANTIATE(T) \
  template void pack_rows(Context<Cuda>&, Span<const Index, Cuda>, MultiVectorView<const T, Cuda>, Span<T, Cuda>);
AMGSOLVE_FOR_EXCHANGED(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve::detail
