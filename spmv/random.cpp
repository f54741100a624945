#include "spmv/random.hpp"

#include "spmv/blas1_steps.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
void fill_random(Context<S>& ctx, std::uint64_t seed, std::type_identity_t<FatView<T, S>> x, std::uint64_t first) {
  detail::for_values(ctx, static_cast<std::int64_t>(x.size()), 1, detail::FillRandom<T>{{}, seed, first, x.data});
}

template void fill_random<float>(Context<Host>&, std::uint64_t, FatView<float, Host>, std::uint64_t);
template void fill_random<double>(Context<Host>&, std::uint64_t, FatView<double, Host>, std::uint64_t);
#if AMGSOLVE_HAVE_CUDA
template void fill_random<float>(Context<Cuda>&, std::uint64_t, FatView<float, Cuda>, std::uint64_t);
template void fill_random<double>(Context<Cuda>&, std::uint64_t, FatView<double, Cuda>, std::uint64_t);
#endif

}  // namespace amgsolve
