#include "core/parallel_cuda.cuh"
#include "problems/right_hand_side_evaluation.hpp"

namespace amgsolve {

template <class T>
void random_right_hand_side(Context<Cuda>& ctx, std::uint64_t seed, FatView<T, Cuda> b, std::int64_t first_row) {
  evaluate_random(ctx, seed, b, first_row);
}

template <class T>
void ones_right_hand_side(Context<Cuda>& ctx, FatView<T, Cuda> b) {
  fill(ctx, T{1}, b);
}

template <class T>
void subtract_mean(Context<Cuda>& ctx, FatView<T, Cuda> b) {
  evaluate_subtract_mean(ctx, b);
}

#define AMGSOLVE_INSTANTIATE(T)                                                                        \
  template void random_right_hand_side(Context<Cuda>&, std::uint64_t, FatView<T, Cuda>, std::int64_t); \
  template void ones_right_hand_side(Context<Cuda>&, FatView<T, Cuda>);                                \
  template void subtract_mean(Context<Cuda>&, FatView<T, Cuda>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
