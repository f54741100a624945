#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>

#include "core/copy.hpp"
#include "core/cub_cuda.cuh"
#include "spgemm/sort/esc_steps_cuda.hpp"

namespace amgsolve::esc {
namespace {

struct IsStart {
  const std::uint64_t* keys;
  __device__ bool operator()(Offset k) const { return k == 0 || keys[k] != keys[k - 1]; }
};

}  // namespace

Offset find_starts(Context<Cuda>& ctx, Span<const std::uint64_t, Cuda> keys, Span<Offset, Cuda> starts) {
  if (keys.empty()) {
    return 0;
  }
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto count = scope.take<Offset>(1);
  run_cub(ctx, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<Offset>(0), starts.data(), count.data(),
                                 cub_count(keys.size()), IsStart{keys.data()}, ctx.stream());
  });
  return element(ctx, count, 0);
}

}  // namespace amgsolve::esc
