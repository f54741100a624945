#pragma once

#include "core/global_sum.hpp"
#include "core/instantiate.hpp"
#include "problems/right_hand_side.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"

/// The bodies of problems/right_hand_side.hpp, written once for both memory spaces: parallel_for and parallel_reduce
/// are those of the context.
namespace amgsolve {

template <class T, MemorySpace S>
void random_right_hand_side(Context<S>& ctx, std::uint64_t seed, FatView<T, S> b, std::int64_t first_row) {
  parallel_for(ctx, b.rows, [seed, b, first_row] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    for (Index j = 0; j < b.columns; ++j) {
      b.data[i * b.columns + j] = static_cast<T>(
          random_uniform(seed + static_cast<std::uint64_t>(j), static_cast<std::uint64_t>(first_row + i)));
    }
  });
}

template <class T, MemorySpace S>
void ones_right_hand_side(Context<S>& ctx, FatView<T, S> b) {
  fill(ctx, T{1}, b);
}

template <class T, MemorySpace S>
void subtract_mean(Context<S>& ctx, FatView<T, S> b) {
  const std::int64_t rows = ctx.communicator().sum(std::int64_t{b.rows});
  for (Index j = 0; j < b.columns && rows > 0; ++j) {
    const double sum = parallel_reduce(
        ctx, b.rows, 0.0,
        [b, j] AMGSOLVE_HOST_DEVICE(std::int64_t begin, std::int64_t end) {
          double block_sum = 0.0;
          for (std::int64_t i = begin; i < end; ++i) {
            block_sum += static_cast<double>(b.data[i * b.columns + j]);
          }
          return block_sum;
        },
        [](double x, double y) { return x + y; });
    const double mean = sum_of_ranks(ctx, sum) / static_cast<double>(rows);
    parallel_for(ctx, b.rows, [b, j, mean] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
      T& entry = b.data[i * b.columns + j];
      entry = static_cast<T>(static_cast<double>(entry) - mean);
    });
  }
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                               \
  template void random_right_hand_side(Context<S>&, std::uint64_t, FatView<T, S>, std::int64_t); \
  template void ones_right_hand_side(Context<S>&, FatView<T, S>);                                \
  template void subtract_mean(Context<S>&, FatView<T, S>);

}  // namespace amgsolve
