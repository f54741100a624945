#include "amg/tentative.hpp"

#include "amg/aggregate_nodes.hpp"
#include "amg/tentative_steps.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
Tentative<T, S> tentative_prolongator(Context<S>& ctx, const Aggregates<S>& aggregates, Index block_size,
                                      std::type_identity_t<MultiVectorView<const T, S>> candidates) {
  Tentative<T, S> tentative{MultiVector<T, S>(ctx, candidates.rows, candidates.columns), {}};
  detail::restrict_candidates<T>(ctx, aggregates.of_node.span(), block_size, candidates, tentative.basis);
  tentative.coarse_candidates = orthonormalise_candidates<T>(ctx, aggregates, block_size, tentative.basis);
  return tentative;
}

template <class T, MemorySpace S>
MultiVector<T, S> orthonormalise_candidates(Context<S>& ctx, const Aggregates<S>& aggregates, Index block_size,
                                            std::type_identity_t<MultiVectorView<T, S>> basis) {
  const std::int64_t coarse_rows = static_cast<std::int64_t>(aggregates.count) * basis.columns;
  MultiVector<T, S> coarse_candidates(ctx, checked_index(coarse_rows, "rows of the coarse level"), basis.columns);
  detail::orthonormalise<T>(ctx, aggregate_nodes(ctx, aggregates), block_size, basis, coarse_candidates);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(2 * basis.size() * sizeof(T) + coarse_candidates.bytes() +
                                                        aggregates.of_node.bytes()),
                     .flops = static_cast<std::int64_t>(4 * basis.size()) * basis.columns});
  return coarse_candidates;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                     \
  template Tentative<T, S> tentative_prolongator<T, S>(Context<S>&, const Aggregates<S>&, Index,       \
                                                       MultiVectorView<const T, S>);                   \
  template MultiVector<T, S> orthonormalise_candidates<T, S>(Context<S>&, const Aggregates<S>&, Index, \
                                                             MultiVectorView<T, S>);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
