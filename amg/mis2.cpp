#include "amg/mis2.hpp"

#include "amg/mis2_steps.hpp"
#include "core/algorithms.hpp"
#include "core/copy.hpp"

namespace amgsolve {

template <MemorySpace S>
void mis2(Context<S>& ctx, const Graph<S>& graph, std::type_identity_t<Span<const std::uint8_t, S>> takes_part,
          std::type_identity_t<Span<std::uint8_t, S>> in_set) {
  const auto n = static_cast<std::size_t>(graph.nodes);
  WorkspaceScope<S> scope(ctx.workspace());
  const auto status = scope.template take<MisStatus>(n);
  const auto lowest = scope.template take<MisStatus>(n);
  const auto flags = scope.template take<std::uint8_t>(n);
  auto undecided = scope.template take<Index>(n);
  auto uncovered = scope.template take<Index>(n);
  auto spare = scope.template take<Index>(n);
  const auto keep_priorities = [&](Span<Index, S>& nodes, Span<const MisStatus, S> known) {
    const auto kept_flags = flags.subspan(0, nodes.size());
    detail::flag_priorities(ctx, known, nodes, kept_flags);
    const Offset count = select_flagged(ctx, kept_flags, spare);
    const auto kept = spare.subspan(0, static_cast<std::size_t>(count));
    detail::look_up(ctx, nodes, kept);
    spare = {nodes.data(), n};
    nodes = kept;
  };

  detail::start_mis2(ctx, graph, takes_part, status, lowest, flags);
  undecided = undecided.subspan(0, static_cast<std::size_t>(select_flagged(ctx, flags, undecided)));
  uncovered = uncovered.subspan(0, undecided.size());
  copy<Index>(ctx, undecided, uncovered);
  for (std::uint32_t round = 1; !undecided.empty(); ++round) {
    detail::find_lowest(ctx, graph, uncovered, status, lowest);
    detail::decide(ctx, graph, undecided, round, lowest, status);
    keep_priorities(undecided, status);
    keep_priorities(uncovered, lowest);
  }
  detail::flag_members(ctx, status, in_set);
}

template void mis2(Context<Host>&, const Graph<Host>&, Span<const std::uint8_t, Host>, Span<std::uint8_t, Host>);
#if AMGSOLVE_HAVE_CUDA
template void mis2(Context<Cuda>&, const Graph<Cuda>&, Span<const std::uint8_t, Cuda>, Span<std::uint8_t, Cuda>);
#endif

}  // namespace amgsolve
