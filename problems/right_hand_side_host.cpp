#include "core/parallel_host.hpp"
#include "problems/right_hand_side_evaluation.hpp"

namespace amgsolve {

template <class T>
void random_right_hand_side(Context<Host>& ctx, std::uint64_t seed, FatView<T, Host> b, std::int64_t first_row) {
  evaluate_random(ctx, seed, b, first_row);
}

template <class T>
void ones_right_hand_side(Context<Host>& ctx, FatView<T, Host> b) {
  fill(ctx, T{1}, b);
}

template <class T>
void subtract_mean(Context<Host>& ctx, FatView<T, Host> b) {
  evaluate_subtract_mean(ctx, b);
}

#define AMGSOLVE_INSTANTIATE(T)                                                                        \
  template void random_right_hand_side(Context<Host>&, std::uint64_t, FatView<T, Host>, std::int64_t); \
  template void ones_right_hand_side(Context<Host>&, FatView<T, Host>);                                \
  template void subtract_mean(Context<Host>&, FatView<T, Host>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
