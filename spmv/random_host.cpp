#include "core/parallel_host.hpp"
#include "spmv/random.hpp"

namespace amgsolve {

template <class T>
void fill_random(Context<Host>& ctx, std::uint64_t seed, FatView<T, Host> x) {
  parallel_for(ctx, static_cast<std::int64_t>(x.size()), [&](std::int64_t i) {
    x.data[i] = static_cast<T>(random_uniform(seed, static_cast<std::uint64_t>(i)));
  });
}

template void fill_random(Context<Host>&, std::uint64_t, FatView<float, Host>);
template void fill_random(Context<Host>&, std::uint64_t, FatView<double, Host>);

}  // namespace amgsolve
