#include "amg/mis2.hpp"

#include "amg/mis2_steps.hpp"

namespace amgsolve {

template <MemorySpace S>
void mis2(Context<S>& ctx, const Graph<S>& graph, std::type_identity_t<Span<const std::uint8_t, S>> takes_part,
          std::type_identity_t<Span<std::uint8_t, S>> in_set) {
  const auto n = static_cast<std::size_t>(graph.nodes);
  WorkspaceScope<S> scope(ctx.workspace());
  const auto status = scope.template take<MisStatus>(n);
  const auto lowest = scope.template take<MisStatus>(n);
  auto lists = detail::all_unsettled(ctx, graph, scope);
  detail::start_mis2(ctx, graph, takes_part, status, lowest);
  for (std::uint32_t round = 1; detail::may_go_on(ctx, lists); ++round) {
    detail::find_lowest(ctx, graph, lists.uncovered, status, lowest);
    detail::decide(ctx, graph, lists.undecided, round, lowest, status);
  }
  detail::flag_members(ctx, status, in_set);
}

template void mis2(Context<Host>&, const Graph<Host>&, Span<const std::uint8_t, Host>, Span<std::uint8_t, Host>);
#if AMGSOLVE_HAVE_CUDA
template void mis2(Context<Cuda>&, const Graph<Cuda>&, Span<const std::uint8_t, Cuda>, Span<std::uint8_t, Cuda>);
#endif

}  // namespace amgsolve
