#include <cub/device/device_radix_sort.cuh>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/cub_cuda.cuh"

namespace amgsolve {

void sort_pairs(Context<Cuda>& ctx, Span<std::uint64_t, Cuda> keys, Span<Offset, Cuda> values, int bits) {
  const std::size_t n = keys.size();
  if (n == 0 || bits == 0) {
    return;
  }
  WorkspaceScope scope(ctx.workspace());
  const auto count = static_cast<std::int64_t>(n);
  cub::DoubleBuffer<std::uint64_t> key_buffers(keys.data(), scope.take<std::uint64_t>(n).data());
  cub::DoubleBuffer<Offset> value_buffers(values.data(), scope.take<Offset>(values.size()).data());
  run_cub(ctx, [&](void* scratch, std::size_t& bytes) {
    return values.empty() ? cub::DeviceRadixSort::SortKeys(scratch, bytes, key_buffers, count, 0, bits, ctx.stream())
                          : cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, value_buffers, count, 0, bits,
                                                            ctx.stream());
  });
  if (key_buffers.Current() != keys.data()) {
    copy(ctx, Span<const std::uint64_t, Cuda>(key_buffers.Current(), n), keys);
    if (!values.empty()) {
      copy(ctx, Span<const Offset, Cuda>(value_buffers.Current(), n), values);
    }
  }
}

}  // namespace amgsolve
