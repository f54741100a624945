#include "amg/connected_components.hpp"

#include "amg/aggregation_steps.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
Aggregates<S> connected_components(Context<S>& ctx, const Operator<T, S>& A, Index block_size) {
  const Index nodes = A.rows() / block_size;
  WorkspaceScope<S> scope(ctx.workspace());
  const auto lowest = scope.template take<Index>(static_cast<std::size_t>(nodes));
  A.find_lowest_connected(ctx, block_size, lowest);
  // Every node has a root, so that no neighbours are looked at.
  return detail::aggregates_of_roots(ctx, Graph<S>(nodes, {}, {}), lowest);
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template Aggregates<S> connected_components(Context<S>&, const Operator<T, S>&, Index);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
