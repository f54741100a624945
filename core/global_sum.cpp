#include "core/global_sum.hpp"

#include "core/superaccumulator.hpp"

namespace amgsolve {

template <MemorySpace S>
void sum_of_blocks(Context<S>& ctx, Span<const double, S> partial, Span<double, S> result) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto words = scope.template take<std::int64_t>(result.size() * superaccumulator_words);
  if (ctx.communicator().size() == 1) {
    detail::accumulate_blocks(ctx, partial, words, result);
    return;
  }
  detail::accumulate_blocks(ctx, partial, words, {});
  detail::sum_over_ranks(ctx, words);
  detail::round_sums(ctx, words, result);
}

template void sum_of_blocks(Context<Host>&, Span<const double, Host>, Span<double, Host>);
#if AMGSOLVE_HAVE_CUDA
template void sum_of_blocks(Context<Cuda>&, Span<const double, Cuda>, Span<double, Cuda>);
#endif

}  // namespace amgsolve
