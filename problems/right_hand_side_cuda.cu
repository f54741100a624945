#include "core/parallel_cuda.cuh"
#include "problems/right_hand_side.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"

namespace amgsolve {

template <class T>
void random_right_hand_side(Context<Cuda>& ctx, std::uint64_t seed, FatView<T, Cuda> b) {
  parallel_for(ctx, static_cast<std::int64_t>(b.size()), [seed, b] __device__(std::int64_t k) {
    b.data[k] = static_cast<T>(
        random_uniform(seed + static_cast<std::uint64_t>(k % b.columns), static_cast<std::uint64_t>(k / b.columns)));
  });
}

template <class T>
void ones_right_hand_side(Context<Cuda>& ctx, FatView<T, Cuda> b) {
  fill(ctx, T{1}, b);
}

template <class T>
void subtract_mean(Context<Cuda>& ctx, FatView<T, Cuda> b) {
  for (Index j = 0; j < b.columns && b.rows > 0; ++j) {
    const double sum = parallel_reduce(
        ctx, b.rows, 0.0,
        [b, j] __device__(std::int64_t begin, std::int64_t end) {
          double block_sum = 0.0;
          for (std::int64_t i = begin; i < end; ++i) {
            block_sum += static_cast<double>(b.data[i * b.columns + j]);
          }
          return block_sum;
        },
        [](double x, double y) { return x + y; });
    const double mean = sum / b.rows;
    parallel_for(ctx, b.rows, [b, j, mean] __device__(std::int64_t i) {
      T& entry = b.data[i * b.columns + j];
      entry = static_cast<T>(static_cast<double>(entry) - mean);
    });
  }
}

#define AMGSOLVE_INSTANTIATE(T)                                                          \
  template void random_right_hand_side(Context<Cuda>&, std::uint64_t, FatView<T, Cuda>); \
  template void ones_right_hand_side(Context<Cuda>&, FatView<T, Cuda>);                  \
  template void subtract_mean(Context<Cuda>&, FatView<T, Cuda>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
