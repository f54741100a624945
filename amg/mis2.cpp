#include "amg/mis2.hpp"

#include <concepts>

#include "amg/mis2_steps.hpp"
#include "core/collectively.hpp"
#include "dist/halo.hpp"

namespace amgsolve {

template <MemorySpace S>
void mis2(Context<S>& ctx, const Graph<S>& graph, std::type_identity_t<Span<const std::uint8_t, S>> is_active,
          std::type_identity_t<Span<std::uint8_t, S>> in_set, MisOrder order, const Layout<S>* window) {
  const auto n = static_cast<std::size_t>(graph.nodes);
  const MisPriorities priority(graph.first_node,
                               window != nullptr ? window->partition().rows() : graph.first_node + graph.nodes, order);
  const bool is_at_once = window == nullptr && detail::is_settled_at_once(graph);
  WorkspaceScope<S> scope(ctx.workspace());
  Span<MisStatus, S> status;
  Span<MisStatus, S> lowest;
  detail::UnsettledLists<S> lists{};
  collectively(ranks_of(ctx, window), [&] {
    status = scope.template take<MisStatus>(n);
    lowest = scope.template take<MisStatus>(n);
    if (!is_at_once) {
      lists = detail::all_unsettled(ctx, graph, scope);
    }
  });
  // What a step makes of ghosts, whose neighbours are not here, gives way to what their owners made of them.
  const auto exchange = [&](Span<MisStatus, S> of_node) {
    if (window != nullptr) {
      exchange_ghosts<MisStatus, S>(ctx, *window, {of_node.data(), graph.nodes});
    }
  };
  const auto goes_on = [&] {
    const bool here = detail::may_go_on(ctx, lists);
    return window != nullptr ? ctx.communicator().max(here ? 1 : 0) > 0 : here;
  };
  detail::start_mis2(ctx, graph, is_active, priority, status, lowest);
  if constexpr (std::same_as<S, Cuda>) {
    if (is_at_once) {
      detail::settle_all(ctx, graph, priority, status, lowest);
      detail::flag_members(ctx, status, in_set);
      return;
    }
  }
  exchange(status);
  for (std::uint32_t round = 1; goes_on(); ++round) {
    detail::find_lowest(ctx, graph, lists.uncovered, status, lowest);
    exchange(lowest);
    detail::decide(ctx, graph, lists.undecided, priority, round, lowest, status);
    exchange(status);
  }
  detail::flag_members(ctx, status, in_set);
}

template void mis2(Context<Host>&, const Graph<Host>&, Span<const std::uint8_t, Host>, Span<std::uint8_t, Host>,
                   MisOrder, const Layout<Host>*);
#if AMGSOLVE_HAVE_CUDA
template void mis2(Context<Cuda>&, const Graph<Cuda>&, Span<const std::uint8_t, Cuda>, Span<std::uint8_t, Cuda>,
                   MisOrder, const Layout<Cuda>*);
#endif

}  // namespace amgsolve
