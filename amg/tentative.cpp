#include "amg/tentative.hpp"

#include "amg/aggregate_nodes.hpp"
#include "amg/tentative_steps.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
Tentative<T, S> tentative_prolongator(Context<S>& ctx, const Aggregates<S>& aggregates, Index block_size,
                                      std::type_identity_t<MultiVectorView<const T, S>> candidates) {
  const Index coarse_rows =
      checked_index(static_cast<std::int64_t>(aggregates.count) * candidates.columns, "rows of the coarse level");
  Tentative<T, S> tentative{MultiVector<T, S>(ctx, candidates.rows, candidates.columns),
                            MultiVector<T, S>(ctx, coarse_rows, candidates.columns)};
  detail::restrict_candidates<T>(ctx, aggregates, block_size, candidates, tentative.basis);
  detail::orthonormalise<T>(ctx, aggregate_nodes(ctx, aggregates), block_size, tentative.basis,
                            tentative.coarse_candidates);
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(2 * tentative.basis.bytes() + tentative.coarse_candidates.bytes() +
                                          aggregates.of_node.bytes()),
       .flops = static_cast<std::int64_t>(4 * candidates.size()) * candidates.columns});
  return tentative;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                               \
  template Tentative<T, S> tentative_prolongator<T, S>(Context<S>&, const Aggregates<S>&, Index, \
                                                       MultiVectorView<const T, S>);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
