#include "amg/shared_aggregation.hpp"

#include <algorithm>
#include <numeric>

#include "amg/mis2_steps.hpp"
#include "amg/most_frequent_root.hpp"
#include "core/parallel_host.hpp"
#include "dist/halo.hpp"

namespace amgsolve {
namespace {

constexpr std::int64_t none = -1;

/// A value for each node of a window.
template <class V>
class OfWindow {
 public:
  OfWindow(Context<Host>& ctx, const Layout& layout)
      : ctx_(&ctx), layout_(&layout), values_(ctx, static_cast<std::size_t>(layout.columns())) {}

  V& operator[](std::int64_t node) { return values_.data()[node]; }
  Span<V, Host> span() { return values_.span(); }
  Buffer<V, Host> take() { return std::move(values_); }

  /// The ghosts become what their owners have.
  void exchange() { exchange_ghosts<V>(*ctx_, *layout_, {values_.data(), layout_->columns()}); }

 private:
  Context<Host>* ctx_;
  const Layout* layout_;
  Buffer<V, Host> values_;
};

/// Calls body(node) for the own nodes of the window.
template <class Body>
void for_own_nodes(Context<Host>& ctx, const Layout& layout, const Body& body) {
  parallel_for(ctx, layout.own_rows(), [&](std::int64_t i) { body(layout.first_own() + i); });
}

detail::UnsettledNodes<Host> own_nodes(const detail::UnsettledNodes<Host>& all, const Layout& layout) {
  detail::UnsettledNodes<Host> own = all;
  own.count = layout.own_rows();
  own.are_all = false;
  std::iota(own.nodes.begin(), own.nodes.begin() + own.count, layout.first_own());
  return own;
}

/// mis2(), of the window.
void mis2_shared(Context<Host>& ctx, const Graph<Host>& graph, const Layout& layout,
                 Span<const std::uint8_t, Host> takes_part, OfWindow<std::uint8_t>& in_set) {
  WorkspaceScope<Host> scope(ctx.workspace());
  OfWindow<MisStatus> status(ctx, layout);
  OfWindow<MisStatus> lowest(ctx, layout);
  auto lists = detail::all_unsettled(ctx, graph, scope);
  lists = {own_nodes(lists.uncovered, layout), own_nodes(lists.undecided, layout)};
  detail::start_mis2(ctx, graph, takes_part, status.span(), lowest.span());
  status.exchange();
  for (std::uint32_t round = 1; ctx.communicator().max(lists.undecided.count) > 0; ++round) {
    detail::find_lowest(ctx, graph, lists.uncovered, status.span(), lowest.span());
    lowest.exchange();
    detail::decide(ctx, graph, lists.undecided, round, lowest.span(), status.span());
    status.exchange();
  }
  detail::flag_members(ctx, status.span(), in_set.span());
}

/// The passes: the root of each node that joins one, by its number in the whole level.
OfWindow<std::int64_t> find_roots(Context<Host>& ctx, const Graph<Host>& graph, const Layout& layout, int passes) {
  OfWindow<std::int64_t> root(ctx, layout);
  OfWindow<std::uint8_t> is_free(ctx, layout);
  OfWindow<std::uint8_t> is_root(ctx, layout);
  std::ranges::fill(root.span(), none);
  std::ranges::fill(is_free.span(), std::uint8_t{1});
  for (int pass = 0; pass < passes; ++pass) {
    mis2_shared(ctx, graph, layout, pass == 0 ? Span<const std::uint8_t, Host>() : is_free.span(), is_root);
    const Index least_free = pass == 0 ? 0 : free_neighbours_wanted;
    for_own_nodes(ctx, layout, [&](std::int64_t node) {
      if (is_root[node] != 0) {
        const auto neighbours = graph.neighbours(static_cast<std::size_t>(node));
        is_root[node] = std::ranges::count_if(neighbours, [&](Index j) { return is_free[j] != 0; }) >= least_free;
      }
    });
    is_root.exchange();
    // A free node is a neighbour of one root at most.
    for_own_nodes(ctx, layout, [&](std::int64_t node) {
      if (is_root[node] != 0) {
        root[node] = layout.row_of(static_cast<Index>(node));
      } else if (root[node] == none) {
        for (const Index j : graph.neighbours(static_cast<std::size_t>(node))) {
          root[node] = is_root[j] != 0 ? layout.row_of(j) : root[node];
        }
      }
    });
    for_own_nodes(ctx, layout, [&](std::int64_t node) { is_free[node] = root[node] == none ? 1 : 0; });
    is_free.exchange();
  }
  return root;
}

}  // namespace

SharedAggregates aggregate_shared(Context<Host>& ctx, const Graph<Host>& graph, const Layout& layout, int passes) {
  OfWindow<std::int64_t> root = find_roots(ctx, graph, layout, passes);
  // Ranks and roots are in the order of the nodes.
  OfWindow<std::int64_t> number(ctx, layout);
  std::int64_t roots = 0;
  for (Index i = 0; i < layout.own_rows(); ++i) {
    const Index node = layout.first_own() + i;
    number[node] = root[node] == layout.row_of(node) ? roots++ : none;
  }
  SharedAggregates result{Partition(ctx.communicator(), roots), {}};
  const std::int64_t first = result.partition.first(ctx.communicator().rank());
  for_own_nodes(ctx, layout, [&](std::int64_t node) { number[node] += number[node] == none ? 0 : first; });
  number.exchange();
  OfWindow<std::int64_t> joined(ctx, layout);
  for_own_nodes(ctx, layout, [&](std::int64_t node) {
    joined[node] = root[node] == none ? none : number[layout.column_of(root[node])];
  });
  joined.exchange();
  OfWindow<std::int64_t> of_node(ctx, layout);
  for_own_nodes(ctx, layout, [&](std::int64_t node) {
    of_node[node] = joined[node] != none ? joined[node]
                                         : detail::most_frequent_root<std::int64_t>(
                                               graph.neighbours(static_cast<std::size_t>(node)), joined.span());
  });
  of_node.exchange();
  result.of_node = of_node.take();
  return result;
}

}  // namespace amgsolve
