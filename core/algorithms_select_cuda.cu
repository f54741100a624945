#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/cub_cuda.cuh"

namespace amgsolve {

void select_flagged(Context<Cuda>& ctx, Span<const std::uint8_t, Cuda> flags, Span<Index, Cuda> selected,
                    Span<Offset, Cuda> count) {
  if (flags.empty()) {
    set_zero(ctx, count);
    return;
  }
  run_cub(ctx, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(scratch, bytes, thrust::counting_iterator<Index>(0), flags.data(),
                                      selected.data(), count.data(), cub_count(flags.size()), ctx.stream());
  });
}

}  // namespace amgsolve
