#pragma once

#include "core/parallel_cuda.cuh"

/// Prefix sums over lanes and blocks. All lanes of the warp, or threads of the block, must call.
namespace amgsolve {

/// Σ x over the lanes of a group of `Lanes` neighbours up to this one.
template <int Lanes, class Number>
__device__ Number sum_up_to_lane(Number x) {
  const int rank = static_cast<int>(threadIdx.x) % Lanes;
#pragma unroll
  for (int distance = 1; distance < Lanes; distance *= 2) {
    const Number below = __shfl_up_sync(all_lanes, x, distance, Lanes);
    x += rank >= distance ? below : Number{0};
  }
  return x;
}

/// Σ x over the lanes before this one; `total`: over all of the group.
template <int Lanes, class Number>
__device__ Number sum_before(Number x, Number& total) {
  const Number up_to_here = sum_up_to_lane<Lanes>(x);
  total = __shfl_sync(all_lanes, up_to_here, Lanes - 1, Lanes);
  return up_to_here - x;
}

/// The same over the threads of a block, with room for the sum of each warp. Not safe to call again without a barrier
/// between.
template <int Threads>
__device__ int sum_before_in_block(int x, int (&sums)[Threads / warp_size], int& total) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  int of_warp;
  const int before = sum_before<warp_size>(x, of_warp);
  if (lane == 0) {
    sums[warp] = of_warp;
  }
  __syncthreads();
  const int before_warp = sum_before<warp_size>(lane < Threads / warp_size ? sums[lane] : 0, total);
  return before + __shfl_sync(all_lanes, before_warp, warp);
}

}  // namespace amgsolve
