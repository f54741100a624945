#include <cub/device/device_reduce.cuh>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/cub_cuda.cuh"

namespace amgsolve {
namespace {

struct Sum {
  __host__ __device__ Offset operator()(Offset a, Offset b) const { return a + b; }
};

struct Maximum {
  __host__ __device__ Index operator()(Index a, Index b) const { return a < b ? b : a; }
};

/// x joined by a commutative operation on integers, which gives the same in any order; `initial` for an empty range.
template <class T, class Operation>
T reduce(Context<Cuda>& ctx, Span<const Index, Cuda> x, T initial, Operation operation) {
  WorkspaceScope scope(ctx.workspace());
  const auto result = scope.take<T>(1);
  run_cub(ctx, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(scratch, bytes, x.data(), result.data(), static_cast<std::int64_t>(x.size()),
                                     operation, initial, ctx.stream());
  });
  return element(ctx, result, 0);
}

}  // namespace

Offset reduce_sum(Context<Cuda>& ctx, Span<const Index, Cuda> x) { return reduce(ctx, x, Offset{0}, Sum{}); }

Index reduce_max(Context<Cuda>& ctx, Span<const Index, Cuda> x, Index lowest) {
  return reduce(ctx, x, lowest, Maximum{});
}

}  // namespace amgsolve
