#include "core/algorithms.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {

void widen(Context<Cuda>& ctx, Span<const Index, Cuda> narrow, Span<Offset, Cuda> wide) {
  detail::check_copy_sizes(narrow.size(), wide.size());
  const Index* from = narrow.data();
  Offset* to = wide.data();
  parallel_for(ctx, static_cast<std::int64_t>(narrow.size()),
               [from, to] __device__(std::int64_t i) { to[i] = from[i]; });
}

}  // namespace amgsolve
