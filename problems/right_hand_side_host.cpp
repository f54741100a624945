#include "core/parallel_host.hpp"
#include "problems/right_hand_side.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"

namespace amgsolve {
namespace {

template <class T>
double sum_of_column(Context<Host>& ctx, FatView<const T, Host> b, Index column) {
  return parallel_reduce(
      ctx, b.rows, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double sum = 0.0;
        for (std::int64_t i = begin; i < end; ++i) {
          sum += static_cast<double>(b.data[i * b.columns + column]);
        }
        return sum;
      },
      [](double a, double c) { return a + c; });
}

}  // namespace

template <class T>
void random_right_hand_side(Context<Host>& ctx, std::uint64_t seed, FatView<T, Host> b) {
  parallel_for(ctx, b.rows, [&](std::int64_t i) {
    for (Index j = 0; j < b.columns; ++j) {
      b.data[i * b.columns + j] =
          static_cast<T>(random_uniform(seed + static_cast<std::uint64_t>(j), static_cast<std::uint64_t>(i)));
    }
  });
}

template <class T>
void ones_right_hand_side(Context<Host>& ctx, FatView<T, Host> b) {
  fill(ctx, T{1}, b);
}

template <class T>
void subtract_mean(Context<Host>& ctx, FatView<T, Host> b) {
  for (Index j = 0; j < b.columns && b.rows > 0; ++j) {
    const double mean = sum_of_column<T>(ctx, b, j) / b.rows;
    parallel_for(ctx, b.rows, [&](std::int64_t i) {
      T& entry = b.data[i * b.columns + j];
      entry = static_cast<T>(static_cast<double>(entry) - mean);
    });
  }
}

#define AMGSOLVE_INSTANTIATE(T)                                                          \
  template void random_right_hand_side(Context<Host>&, std::uint64_t, FatView<T, Host>); \
  template void ones_right_hand_side(Context<Host>&, FatView<T, Host>);                  \
  template void subtract_mean(Context<Host>&, FatView<T, Host>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
