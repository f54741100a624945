#include "amg/aggregation.hpp"

#include <utility>

#include "amg/aggregation_steps.hpp"
#include "amg/mis2.hpp"
#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "dist/halo.hpp"

namespace amgsolve {
namespace {

/// The passes.
/// @param window  of the nodes where ranks share them; else null
template <MemorySpace S>
void find_roots(Context<S>& ctx, const Graph<S>& graph, int passes, std::type_identity_t<Span<const Index, S>> hubs,
                MisOrder order, const Layout<S>* window, Span<Index, S> root) {
  const std::size_t n = root.size();
  WorkspaceScope<S> scope(ctx.workspace());
  Span<std::uint8_t, S> flags;
  Span<std::uint8_t, S> is_free;
  collectively(ranks_of(ctx, window), [&] {
    flags = scope.template take<std::uint8_t>(n);
    is_free = scope.template take<std::uint8_t>(passes > 1 ? n : 0);
  });
  const auto exchange_flags = [&] {
    if (window != nullptr) {
      exchange_ghosts<std::uint8_t, S>(ctx, *window, {flags.data(), graph.nodes});
    }
  };
  detail::free_all(ctx, root);
  detail::make_roots(ctx, hubs, root);
  for (int pass = 0; pass < passes; ++pass) {
    ctx.poll();
    Span<const std::uint8_t, S> is_active;
    if (pass > 0) {
      detail::flag_free(ctx, root, is_free);
      is_active = is_free;
    }
    mis2(ctx, graph, is_active, flags, order, window);
    detail::make_roots(ctx, graph, flags, is_active, pass > 0 ? free_neighbours_wanted : 0, root);
    detail::flag_roots(ctx, root, flags);
    exchange_flags();
    detail::join_roots(ctx, graph, flags, root);
    if (window != nullptr) {
      detail::flag_free(ctx, root, flags);
      exchange_flags();
      detail::name_ghosts(ctx, window->window(), flags, root);
    }
  }
}

/// Numbers the aggregates, in the order of their roots, and has the neighbours of what is in one join it.
/// @param window  as there
template <MemorySpace S>
SharedAggregates<S> number_aggregates(Context<S>& ctx, const Graph<S>& graph, Span<const Index, S> root,
                                      const Layout<S>* window) {
  const Communicator& ranks = ranks_of(ctx, window);
  const std::size_t n = root.size();
  const auto own = [&](auto of_window) {
    return window == nullptr ? of_window
                             : of_window.subspan(static_cast<std::size_t>(window->first_own()),
                                                 static_cast<std::size_t>(window->own_rows()));
  };
  const auto exchange = [&](Span<Index, S> of_window) {
    if (window != nullptr) {
      exchange_ghosts<Index, S>(ctx, *window, {of_window.data(), static_cast<Index>(n)});
    }
  };
  WorkspaceScope<S> scope(ctx.workspace());
  Span<std::uint8_t, S> is_root;
  Span<Index, S> places;
  Span<Index, S> number;
  Buffer<Index, S> of_node;
  collectively(ranks, [&] {
    is_root = scope.template take<std::uint8_t>(n);
    places = scope.template take<Index>(n);
    number = scope.template take<Index>(n);
    of_node = Buffer<Index, S>(ctx, n);
  });
  // Ranks and roots are in the order of the nodes.
  detail::flag_roots(ctx, root, is_root);
  const Offset own_roots = select_flagged(ctx, own(is_root), own(places));
  SharedAggregates<S> aggregates{Partition(ranks, own_roots), std::move(of_node)};
  checked_index(aggregates.partition.rows(), "aggregates");
  const auto first = static_cast<Index>(aggregates.partition.first(ranks.rank()));
  detail::number_roots(ctx, own(places).subspan(0, static_cast<std::size_t>(own_roots)), first, own(number));
  exchange(number);
  const auto joined = places;  // whose roots are numbered
  detail::number_joined(ctx, root, number, joined);
  exchange(joined);
  detail::join_neighbours(ctx, graph, joined, aggregates.of_node);
  exchange(aggregates.of_node);
  return aggregates;
}

}  // namespace

template <MemorySpace S>
Aggregates<S> detail::aggregates_of_roots(Context<S>& ctx, const Graph<S>& graph,
                                          std::type_identity_t<Span<const Index, S>> root) {
  SharedAggregates<S> all = number_aggregates<S>(ctx, graph, root, nullptr);
  return {static_cast<Index>(all.partition.rows()), std::move(all.of_node)};
}

template <MemorySpace S>
Aggregates<S> aggregate(Context<S>& ctx, const Graph<S>& graph, int passes,
                        std::type_identity_t<Span<const Index, S>> hubs, MisOrder order) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto root = scope.template take<Index>(static_cast<std::size_t>(graph.nodes));
  find_roots<S>(ctx, graph, passes, hubs, order, nullptr, root);
  return detail::aggregates_of_roots(ctx, graph, root);
}

template <MemorySpace S>
SharedAggregates<S> aggregate_shared(Context<S>& ctx, const Graph<S>& graph, const Layout<S>& window, int passes,
                                     MisOrder order) {
  WorkspaceScope<S> scope(ctx.workspace());
  const Span<Index, S> root = collectively(
      ctx.communicator(), [&] { return scope.template take<Index>(static_cast<std::size_t>(graph.nodes)); });
  find_roots<S>(ctx, graph, passes, {}, order, &window, root);
  return number_aggregates<S>(ctx, graph, root, &window);
}

#define AMGSOLVE_INSTANTIATE(S)                                                                           \
  template Aggregates<S> detail::aggregates_of_roots(Context<S>&, const Graph<S>&, Span<const Index, S>); \
  template Aggregates<S> aggregate(Context<S>&, const Graph<S>&, int, Span<const Index, S>, MisOrder);    \
  template SharedAggregates<S> aggregate_shared(Context<S>&, const Graph<S>&, const Layout<S>&, int, MisOrder);
AMGSOLVE_INSTANTIATE(Host)
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE(Cuda)
#endif

}  // namespace amgsolve
