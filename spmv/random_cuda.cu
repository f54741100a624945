#include "core/parallel_cuda.cuh"
#include "spmv/random.hpp"

namespace amgsolve {

template <class T>
void fill_random(Context<Cuda>& ctx, std::uint64_t seed, FatView<T, Cuda> x) {
  T* const values = x.data;
  parallel_for(ctx, static_cast<std::int64_t>(x.size()), [=] __device__(std::int64_t i) {
    values[i] = static_cast<T>(random_uniform(seed, static_cast<std::uint64_t>(i)));
  });
}

template void fill_random(Context<Cuda>&, std::uint64_t, FatView<float, Cuda>);
template void fill_random(Context<Cuda>&, std::uint64_t, FatView<double, Cuda>);

}  // namespace amgsolve
