#include <cub/device/device_scan.cuh>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/cub_cuda.cuh"

namespace amgsolve {

void accumulate_counts(Context<Cuda>& ctx, Span<Offset, Cuda> offsets) {
  const std::size_t n = offsets.size() - 1;
  set_zero(ctx, offsets.subspan(0, 1));
  Offset* counts = offsets.data() + 1;
  run_cub(ctx, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, counts, counts, cub_count(n), ctx.stream());
  });
}

Offset counts_to_offsets(Context<Cuda>& ctx, Span<Offset, Cuda> offsets) {
  accumulate_counts(ctx, offsets);
  return element(ctx, offsets, offsets.size() - 1);
}

}  // namespace amgsolve
