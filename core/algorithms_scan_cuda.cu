#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/cub_cuda.cuh"
#include "core/scan_pieces_cuda.hpp"

namespace amgsolve {

// Each piece goes on from the last sum of the one before.
void detail::accumulate_counts(Context<Cuda>& ctx, Span<Offset, Cuda> offsets, std::size_t piece) {
  set_zero(ctx, offsets.subspan(0, 1));
  for (std::size_t first = 0; first + 1 < offsets.size(); first += piece - 1) {
    Offset* const sums = offsets.data() + first;
    const std::size_t n = std::min(piece, offsets.size() - first);
    run_cub(ctx, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(scratch, bytes, sums, sums, cub_count(n), ctx.stream());
    });
  }
}

void accumulate_counts(Context<Cuda>& ctx, Span<Offset, Cuda> offsets) {
  detail::accumulate_counts(ctx, offsets, static_cast<std::size_t>(most_cub_count()));
}

Offset counts_to_offsets(Context<Cuda>& ctx, Span<Offset, Cuda> offsets) {
  accumulate_counts(ctx, offsets);
  return element(ctx, offsets, offsets.size() - 1);
}

}  // namespace amgsolve
