#include "core/global_sum.hpp"
#include "core/global_sum_tuning_cuda.hpp"
#include "core/parallel_cuda.cuh"
#include "core/superaccumulator.hpp"

namespace amgsolve::detail {
namespace {

constexpr int sum_warps = sum_threads / warp_size;

/// By the first warp of a block; the result counts on its first lane.
__device__ double round_by_warp(std::int64_t* words) {
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

/// A block of threads for each column, of which each waits for some values at a time. Warps have accumulators of their
/// own; what lanes have for the same words, mostly all of them, is added up first.
__global__ void accumulate_kernel(std::int64_t blocks, const double* partial, std::int64_t* words, double* rounded) {
  __shared__ std::int64_t sums[sum_warps][superaccumulator_words];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  std::int64_t* const own = sums[threadIdx.x / warp_size];
  for (int i = lane; i < superaccumulator_words; i += warp_size) {
    own[i] = 0;
  }
  __syncwarp();
  const double* const column = partial + blockIdx.x * blocks;
  LaneSum own_sum;
  for (std::int64_t first = threadIdx.x; first < blocks; first += sum_loads * sum_threads) {
    double values[sum_loads];
    for (int k = 0; k < sum_loads; ++k) {
      const std::int64_t i = first + k * sum_threads;
      values[k] = i < blocks ? column[i] : 0.0;
    }
    for (const double value : values) {
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
    words[blockIdx.x * superaccumulator_words + i] = sums[0][i];
  }
  __syncthreads();
  if (rounded != nullptr && i < warp_size) {
    const double sum = round_by_warp(sums[0]);
    if (i == 0) {
      rounded[blockIdx.x] = sum;
    }
  }
}

__global__ void round_kernel(std::int64_t* words, double* result) {
  const double sum = round_by_warp(words + blockIdx.x * superaccumulator_words);
  if (threadIdx.x == 0) {
    result[blockIdx.x] = sum;
  }
}

}  // namespace

void accumulate_blocks(Context<Cuda>& ctx, Span<const double, Cuda> partial, Span<std::int64_t, Cuda> words,
                       Span<double, Cuda> rounded) {
  const auto columns = static_cast<std::int64_t>(words.size() / superaccumulator_words);
  if (columns > 0) {
    launch(ctx, accumulate_kernel, {.blocks = columns, .threads = sum_threads},
           static_cast<std::int64_t>(partial.size()) / columns, partial.data(), words.data(), rounded.data());
  }
}

void sum_over_ranks(Context<Cuda>& ctx, Span<std::int64_t, Cuda> words) {
  ctx.communicator().sum_ranks(words, ctx.stream());
}

void round_sums(Context<Cuda>& ctx, Span<std::int64_t, Cuda> words, Span<double, Cuda> result) {
  launch(ctx, round_kernel, {.blocks = static_cast<std::int64_t>(result.size()), .threads = warp_size}, words.data(),
         result.data());
}

}  // namespace amgsolve::detail
