#include "core/global_sum.hpp"

#include <concepts>

#include "core/copy.hpp"
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
  if constexpr (std::same_as<S, Cuda>) {
    if (ctx.communicator().sum_blocks(partial, result, ctx.stream())) {
      return;
    }
  }
  detail::accumulate_blocks(ctx, partial, words, {});
  detail::sum_over_ranks(ctx, words);
  detail::round_sums(ctx, words, result);
}

template <MemorySpace S>
double sum_of_ranks(Context<S>& ctx, double local) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto partial = scope.template take<double>(1);
  const auto result = scope.template take<double>(1);
  upload<double>(ctx, {&local, 1}, partial);
  sum_of_blocks<S>(ctx, partial, result);
  return element(ctx, result, 0);
}

template void sum_of_blocks(Context<Host>&, Span<const double, Host>, Span<double, Host>);
template double sum_of_ranks(Context<Host>&, double);
#if AMGSOLVE_HAVE_CUDA
template double sum_of_ranks(Context<Cuda>&, double);
template void sum_of_blocks(Context<Cuda>&, Span<const double, Cuda>, Span<double, Cuda>);
#endif

}  // namespace amgsolve
