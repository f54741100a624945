#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/context.hpp"
#include "core/copy.hpp"
#include "core/launch_cuda.hpp"
#include "core/reduction.hpp"

/// What kernels are launched with and made of. Kernels take thread_index() as their item and leave where it lies past
/// the end; sums over lanes and blocks have a fixed order, so that results are bitwise reproducible.
namespace amgsolve {

inline constexpr int warp_size = 32;

/// The mask of a whole warp.
inline constexpr unsigned all_lanes = 0xffffffffU;

/// Run a kernel on the context's stream; an empty grid runs nothing. Throws DeviceError naming the kernel where it
/// cannot start.
template <class... Parameters>
void launch(Context<Cuda>& ctx, void (*kernel)(Parameters...), const Grid& grid,
            std::type_identity_t<Parameters>... arguments) {
  launch(ctx.stream(), kernel, grid, arguments...);
}

/// Number of this thread in the whole grid.
__device__ inline std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ inline int lane_of_warp() { return static_cast<int>(threadIdx.x) % warp_size; }
__device__ inline int warp_of_block() { return static_cast<int>(threadIdx.x) / warp_size; }

namespace detail {

template <class Body>
__global__ void parallel_for_kernel(std::int64_t n, Body body) {
  const std::int64_t i = thread_index();
  if (i < n) {
    body(i);
  }
}

template <class Value, class Map>
__global__ void reduce_blocks_kernel(std::int64_t n, Map map, Value* values) {
  const std::int64_t block = thread_index();
  const std::int64_t begin = block * reduction_block;
  if (begin < n) {
    values[block] = map(begin, begin + reduction_block < n ? begin + reduction_block : n);
  }
}

}  // namespace detail

/// Calls body(i) for every i in [0, n), each on a thread of its own. The body is a __device__ lambda that captures by
/// value. What an element costs is for the host's parallel_for to know.
template <class Body>
void parallel_for(Context<Cuda>& ctx, std::int64_t n, const Body& body, std::int64_t /*work*/ = 0) {
  launch(ctx, detail::parallel_for_kernel<Body>, Grid::of_threads(n), n, body);
}

/// Joins the values map(begin, end) of the blocks of [0, n) from left to right, beginning with `initial`: the same bits
/// as parallel_reduce on the host. Synchronises. A thread works through a whole block, which suits what is done once
/// and not what a solve waits for. `map` can be called on the device and captures by value, `combine` on the host.
template <class Value, class Map, class Combine>
Value parallel_reduce(Context<Cuda>& ctx, std::int64_t n, Value initial, const Map& map, const Combine& combine) {
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto blocks = static_cast<std::size_t>(reduction_blocks(n));
  const auto values = scope.take<Value>(blocks);
  // Small thread blocks: there are few threads, and they should reach all multiprocessors.
  launch(ctx, detail::reduce_blocks_kernel<Value, Map>, Grid::of_threads(reduction_blocks(n), warp_size), n, map,
         values.data());
  std::vector<Value> host_values(blocks);
  download(ctx, values, {host_values.data(), blocks});
  Value result = initial;
  for (const Value& value : host_values) {
    result = combine(result, value);
  }
  return result;
}

/// Σ of x over each group of `Lanes` neighbouring lanes of a warp (a power of two), in every lane of the group, added
/// as a balanced tree. All lanes of the warp must call.
template <int Lanes = warp_size, class T>
__device__ T sum_lanes(T x) {
  static_assert(Lanes >= 1 && Lanes <= warp_size && (Lanes & (Lanes - 1)) == 0);
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2) {
    x += __shfl_xor_sync(all_lanes, x, distance);
  }
  return x;
}

/// Σ of x over a block of `Threads` threads (a multiple of the warp size), in every thread of warp 0. All threads of
/// the block must call; safe to call again without a barrier between.
template <int Threads, class T>
__device__ T sum_block(T x) {
  static_assert(Threads % warp_size == 0 && Threads <= warp_size * warp_size);
  constexpr int warps = Threads / warp_size;
  __shared__ T sums[warps];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  x = sum_lanes(x);
  __syncthreads();  // an earlier call may still read its sums
  if (lane == 0) {
    sums[threadIdx.x / warp_size] = x;
  }
  __syncthreads();
  return threadIdx.x < warp_size ? sum_lanes(lane < warps ? sums[lane] : T{0}) : x;
}

}  // namespace amgsolve
