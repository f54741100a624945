#include "dist/node_layout.hpp"

#include <utility>
#include <vector>

#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {
namespace {

/// The ghosts of a window, which are few beside its rows.
template <MemorySpace S>
std::vector<std::int64_t> ghosts_on_host(Context<S>& ctx, const Layout<S>& layout) {
  std::vector<std::int64_t> ghosts(layout.ghosts().size());
  download(ctx, layout.ghosts(), {ghosts.data(), ghosts.size()});
  return ghosts;
}

template <MemorySpace S>
Buffer<std::int64_t, S> ghosts_from_host(Context<S>& ctx, const std::vector<std::int64_t>& ghosts) {
  return upload(ctx, Span<const std::int64_t, Host>(ghosts.data(), ghosts.size()));
}

}  // namespace

bool has_whole_nodes(const Partition& rows, Index unknowns) {
  for (int rank = 0; rank < rows.ranks(); ++rank) {
    if (rows.rows(rank) % unknowns != 0) {
      return false;
    }
  }
  return true;
}

template <MemorySpace S>
std::shared_ptr<const Layout<S>> layout_of_nodes(Context<S>& ctx, std::shared_ptr<const Layout<S>> unknowns,
                                                 Index unknowns_a_node) {
  if (unknowns_a_node == 1) {
    return unknowns;
  }
  Buffer<std::int64_t, S> ghosts;
  collectively(ctx.communicator(), [&] {
    std::vector<std::int64_t> nodes;
    for (const std::int64_t row : ghosts_on_host(ctx, *unknowns)) {
      if (nodes.empty() || nodes.back() != row / unknowns_a_node) {
        nodes.push_back(row / unknowns_a_node);
      }
    }
    ghosts = ghosts_from_host(ctx, nodes);
  });
  const Partition nodes(ctx.communicator(), unknowns->own_rows() / unknowns_a_node);
  return std::make_shared<const Layout<S>>(ctx, nodes, std::move(ghosts));
}

template <MemorySpace S>
std::shared_ptr<const Layout<S>> layout_of_unknowns(Context<S>& ctx, std::shared_ptr<const Layout<S>> nodes,
                                                    Index unknowns_a_node, bool connects) {
  if (unknowns_a_node == 1) {
    return nodes;
  }
  Buffer<std::int64_t, S> ghosts;
  collectively(ctx.communicator(), [&] {
    std::vector<std::int64_t> rows;
    rows.reserve(nodes->ghosts().size() * static_cast<std::size_t>(unknowns_a_node));
    for (const std::int64_t node : ghosts_on_host(ctx, *nodes)) {
      for (Index c = 0; c < unknowns_a_node; ++c) {
        rows.push_back(node * unknowns_a_node + c);
      }
    }
    ghosts = ghosts_from_host(ctx, rows);
  });
  const Partition rows(ctx.communicator(), std::int64_t{nodes->own_rows()} * unknowns_a_node);
  return std::make_shared<const Layout<S>>(connects ? Layout<S>(ctx, rows, std::move(ghosts))
                                                    : Layout<S>::unconnected(ctx, rows, std::move(ghosts)));
}

template <class T, MemorySpace S>
NodeStrip<T, S> with_whole_nodes(Context<S>& ctx, LocalMatrix<T, S> A, Index unknowns_a_node) {
  if (unknowns_a_node == 1) {
    const auto layout = A.layout;
    return {std::move(A), layout};
  }
  std::shared_ptr<const Layout<S>> nodes = layout_of_nodes(ctx, A.layout, unknowns_a_node);
  std::shared_ptr<const Layout<S>> whole = layout_of_unknowns(ctx, nodes, unknowns_a_node);
  if (ctx.communicator().max(whole->columns() - A.layout->columns()) > 0) {
    move_to_window(ctx, A, std::move(whole));
  }
  return {std::move(A), std::move(nodes)};
}

template <class T, MemorySpace S>
void join_windows(Context<S>& ctx, NodeStrip<T, S>& A, NodeStrip<T, S>& B, Index unknowns_a_node) {
  const Communicator& communicator = ctx.communicator();
  const Partition& rows = A.unknowns.layout->partition();
  GhostRows<S> ghosts;
  collectively(communicator, [&] {
    ghosts = foreign_rows<std::int64_t, S>(ctx, {A.unknowns.layout->ghosts(), B.unknowns.layout->ghosts()}, rows);
  });
  if (communicator.max(static_cast<std::int64_t>(ghosts.rows.size() - A.unknowns.layout->ghosts().size())) > 0) {
    move_to_window(ctx, A.unknowns, std::make_shared<const Layout<S>>(ctx, rows, std::move(ghosts)));
    A.nodes = layout_of_nodes(ctx, A.unknowns.layout, unknowns_a_node);
  }
  move_to_window(ctx, B.unknowns, A.unknowns.layout);
  B.nodes = A.nodes;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                  \
  template NodeStrip<T, S> with_whole_nodes(Context<S>&, LocalMatrix<T, S>, Index); \
  template void join_windows(Context<S>&, NodeStrip<T, S>&, NodeStrip<T, S>&, Index);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)
#undef AMGSOLVE_INSTANTIATE

#define AMGSOLVE_INSTANTIATE(S)                                                                                      \
  template std::shared_ptr<const Layout<S>> layout_of_nodes(Context<S>&, std::shared_ptr<const Layout<S>>, Index);   \
  template std::shared_ptr<const Layout<S>> layout_of_unknowns(Context<S>&, std::shared_ptr<const Layout<S>>, Index, \
                                                               bool);
AMGSOLVE_INSTANTIATE(Host)
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE(Cuda)
#endif

}  // namespace amgsolve
