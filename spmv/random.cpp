#include "spmv/random.hpp"

#include "core/instantiate.hpp"
#include "spmv/blas1_steps.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
void fill_random(Context<S>& ctx, std::uint64_t seed, std::type_identity_t<MultiVectorView<T, S>> x,
                 std::uint64_t first) {
  detail::for_values(ctx, static_cast<std::int64_t>(x.size()), 1, detail::FillRandom<T>{{}, seed, first, x.data});
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template void fill_random<T>(Context<S>&, std::uint64_t, MultiVectorView<T, S>, std::uint64_t);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
