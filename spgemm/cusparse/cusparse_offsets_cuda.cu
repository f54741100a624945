#include "core/parallel_cuda.cuh"
#include "spgemm/cusparse/cusparse_offsets_cuda.hpp"

namespace amgsolve {

void narrow_offsets(Context<Cuda>& ctx, Span<const Offset, Cuda> wide, Span<std::int32_t, Cuda> narrow) {
  const Offset* from = wide.data();
  std::int32_t* to = narrow.data();
  parallel_for(ctx, static_cast<std::int64_t>(wide.size()),
               [=] __device__(std::int64_t i) { to[i] = static_cast<std::int32_t>(from[i]); });
}

}  // namespace amgsolve
