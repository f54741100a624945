#pragma once

#include "core/global_sum_tuning_cuda.hpp"
#include "core/parallel_cuda.cuh"
#include "core/superaccumulator.hpp"

/// Superaccumulators (core/superaccumulator.hpp) of a block of sum_threads threads, for kernels.
namespace amgsolve::detail {

inline constexpr int sum_warps = sum_threads / warp_size;

/// By the first warp of a block; the result counts on its first lane.
__device__ inline double round_by_warp(std::int64_t* words) {
  const int lane = static_cast<int>(threadIdx.x);
  int first = superaccumulator_digits;
  int last = 0;
  for (int base = 0; base < superaccumulator_digits; base += warp_size) {
    const bool is_set = base + lane < superaccumulator_digits && words[base + lane] != 0;
    const unsigned set = __ballot_sync(all_lanes, is_set);
    if (set != 0) {
      first = min(first, base + __ffs(static_cast<int>(set)) - 1);
      last = base + warp_size - __clz(static_cast<int>(set));
    }
  }
  return lane == 0 ? round_superaccumulator(words, first, last) : 0.0;
}

/// What a thread has added up of doubles that go to the same words.
struct LaneSum {
  int word = -1;  ///< none
  std::int64_t parts[3] = {};

  /// Other words than before go to `words`, that of a warp, first.
  __device__ void add(double value, std::int64_t* words) {
    if (value == 0.0) {
      return;
    }
    const SplitDouble x = split_double(value);
    if (x.word != word) {
      flush(words);
      word = x.word;
    }
    for (int part = 0; part < 3; ++part) {
      parts[part] += x.parts[part];
    }
  }

  __device__ void flush(std::int64_t* words) {
    for (int part = 0; part < 3 && word >= 0; ++part) {
      atomicAdd(reinterpret_cast<unsigned long long*>(words + word + part),
                static_cast<unsigned long long>(parts[part]));
      parts[part] = 0;
    }
  }
};

/// Those of a block's warps, in shared memory.
using WarpSums = std::int64_t[sum_warps][superaccumulator_words];

/// sums[0] = what `values` come to, of which each thread waits for some at a time. Warps have accumulators of their
/// own; what lanes have for the same words, mostly all of them, is added up first. A word counts on the thread of its
/// number until threads wait for each other.
__device__ inline void accumulate_by_block(const double* values, std::int64_t count, WarpSums& sums) {
  const int lane = lane_of_warp();
  std::int64_t* const own = sums[warp_of_block()];
  for (int i = lane; i < superaccumulator_words; i += warp_size) {
    own[i] = 0;
  }
  __syncwarp();
  LaneSum own_sum;
  for (std::int64_t first = threadIdx.x; first < count; first += sum_loads * sum_threads) {
    double loaded[sum_loads];
    for (int k = 0; k < sum_loads; ++k) {
      const std::int64_t i = first + k * sum_threads;
      loaded[k] = i < count ? values[i] : 0.0;
    }
    for (const double value : loaded) {
      own_sum.add(value, own);
    }
  }
  __syncwarp();
  unsigned pending = __ballot_sync(all_lanes, own_sum.word >= 0);
  while (pending != 0) {
    const int word = __shfl_sync(all_lanes, own_sum.word, __ffs(static_cast<int>(pending)) - 1);
    const bool is_here = own_sum.word == word;
    pending &= ~__ballot_sync(all_lanes, is_here);
    for (int part = 0; part < 3; ++part) {
      const std::int64_t of_lanes = sum_lanes(is_here ? own_sum.parts[part] : std::int64_t{0});
      if (lane == 0) {
        own[word + part] += of_lanes;
      }
    }
  }
  __syncthreads();
  const int i = static_cast<int>(threadIdx.x);
  if (i < superaccumulator_words) {
    for (int warp = 1; warp < sum_warps; ++warp) {
      sums[0][i] += sums[warp][i];
    }
  }
}

}  // namespace amgsolve::detail
