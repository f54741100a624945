#include "amg/aggregation.hpp"

#include "amg/aggregation_steps.hpp"
#include "amg/mis2.hpp"
#include "core/algorithms.hpp"

namespace amgsolve {
namespace detail {

template <MemorySpace S>
Aggregates<S> aggregates_of_roots(Context<S>& ctx, const Graph<S>& graph,
                                  std::type_identity_t<Span<const Index, S>> root) {
  const std::size_t n = root.size();
  WorkspaceScope<S> scope(ctx.workspace());
  const auto is_root = scope.template take<std::uint8_t>(n);
  flag_roots(ctx, root, is_root);
  const auto places = scope.template take<Index>(n);
  const auto all_roots = places.subspan(0, static_cast<std::size_t>(select_flagged(ctx, is_root, places)));
  const auto number = scope.template take<Index>(n);
  number_roots(ctx, all_roots, number);
  Aggregates<S> aggregates{static_cast<Index>(all_roots.size()), Buffer<Index, S>(ctx, n)};
  number_aggregates(ctx, graph, root, number, aggregates.of_node);
  return aggregates;
}

}  // namespace detail

template <MemorySpace S>
Aggregates<S> aggregate(Context<S>& ctx, const Graph<S>& graph, int passes,
                        std::type_identity_t<Span<const Index, S>> hubs) {
  const auto n = static_cast<std::size_t>(graph.nodes);
  WorkspaceScope<S> scope(ctx.workspace());
  const auto root = scope.template take<Index>(n);
  const auto is_root = scope.template take<std::uint8_t>(n);
  const auto is_free = scope.template take<std::uint8_t>(passes > 1 ? n : 0);

  detail::free_all(ctx, root);
  detail::make_roots(ctx, hubs, root);
  mis2(ctx, graph, {}, is_root);
  detail::join_roots(ctx, graph, is_root, 0, root);
  for (int pass = 1; pass < passes; ++pass) {
    detail::flag_free(ctx, root, is_free);
    mis2(ctx, graph, is_free, is_root);
    detail::join_roots(ctx, graph, is_root, free_neighbours_wanted, root);
  }

  return detail::aggregates_of_roots(ctx, graph, root);
}

template Aggregates<Host> detail::aggregates_of_roots(Context<Host>&, const Graph<Host>&, Span<const Index, Host>);
template Aggregates<Host> aggregate(Context<Host>&, const Graph<Host>&, int, Span<const Index, Host>);
#if AMGSOLVE_HAVE_CUDA
template Aggregates<Cuda> detail::aggregates_of_roots(Context<Cuda>&, const Graph<Cuda>&, Span<const Index, Cuda>);
template Aggregates<Cuda> aggregate(Context<Cuda>&, const Graph<Cuda>&, int, Span<const Index, Cuda>);
#endif

}  // namespace amgsolve
