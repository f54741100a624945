#include "core/global_sum.hpp"
#include "core/superaccumulator_cuda.cuh"

namespace amgsolve::detail {
namespace {

/// A block of threads for each column.
__global__ void accumulate_kernel(std::int64_t blocks, const double* partial, std::int64_t* words, double* rounded) {
  __shared__ WarpSums sums;
  accumulate_by_block(partial + blockIdx.x * blocks, blocks, sums);
  const int i = static_cast<int>(threadIdx.x);
  if (i < superaccumulator_words) {
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
