#pragma once

#include <algorithm>

#include "amg/aggregate_columns.hpp"
#include "amg/tentative_steps.hpp"
#include "amg/work_slices.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/node_of.hpp"

/// The bodies of tentative.hpp and its steps, written once for both memory spaces: parallel_for and
/// for_each_aggregate(ctx, count, k, visits, body), which calls body(lanes, aggregate) with as many lanes as
/// aggregate_lanes() says, or with a thread that adds up like them, are those of the context.
namespace amgsolve {

template <class T>
struct OrthonormaliseAggregate {
  AggregateColumns<T> columns;
  std::int64_t first;
  std::int64_t last;
  T dependent;
  T* R;

  template <class Lanes>
  AMGSOLVE_LANES void operator()(const Lanes& lanes, std::int64_t a) const {
    columns.orthonormalise(lanes, a, first, last, dependent, R + a * columns.k * columns.k);
  }
};

template <class T, MemorySpace S>
void detail::restrict_candidates(Context<S>& ctx, Span<const Index, S> aggregate_of_node, Index block_size,
                                 std::type_identity_t<MultiVectorView<const T, S>> candidates,
                                 std::type_identity_t<MultiVectorView<T, S>> basis) {
  const Index* const of_node = aggregate_of_node.data();
  const std::int64_t entries_per_node = std::int64_t{candidates.columns} * block_size;
  const T* const given = candidates.data;
  T* const restricted = basis.data;
  parallel_for(ctx, static_cast<std::int64_t>(candidates.size()),
               [of_node, entries_per_node, given, restricted] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 restricted[i] = of_node[node_of(i, entries_per_node)] == Aggregates<S>::none ? T{0} : given[i];
               });
}

template <class T, MemorySpace S>
void detail::orthonormalise(Context<S>& ctx, const AggregateNodes<S>& aggregates, Index block_size,
                            std::type_identity_t<MultiVectorView<T, S>> basis,
                            std::type_identity_t<MultiVectorView<T, S>> coarse_candidates) {
  const AggregateColumns<T> columns{aggregates.offsets.data(), aggregates.nodes.data(), block_size, basis.columns,
                                    basis.data};
  const std::int64_t count = coarse_candidates.rows / basis.columns;
  const std::int64_t rows = basis.rows / std::max(count, std::int64_t{1});
  // Norms and scaling visit each row three times for a column, projections four times for a pair of columns.
  const auto visits_of = [rows](std::int64_t column) { return rows * (4 * column + 3); };
  in_slices(ctx, columns.k, visits_of, [&](std::int64_t first, std::int64_t last, std::int64_t visits) {
    for_each_aggregate(ctx, count, columns.k, visits,
                       OrthonormaliseAggregate<T>{columns, first, last, dependent_part<T>(), coarse_candidates.data});
  });
}

template <class T, MemorySpace S>
void fill_constant_candidates(Context<S>& ctx, std::type_identity_t<MultiVectorView<T, S>> candidates,
                              std::int64_t first_row) {
  if (candidates.columns == 1) {
    fill<T>(ctx, T{1}, candidates);
    return;
  }
  const std::int64_t k = candidates.columns;
  T* const values = candidates.data;
  parallel_for(ctx, static_cast<std::int64_t>(candidates.size()),
               [k, first_row, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 values[i] = (first_row + i / k) % k == i % k ? T{1} : T{0};
               });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                \
  template void detail::restrict_candidates<T, S>(Context<S>&, Span<const Index, S>, Index,                       \
                                                  MultiVectorView<const T, S>, MultiVectorView<T, S>);            \
  template void detail::orthonormalise<T, S>(Context<S>&, const AggregateNodes<S>&, Index, MultiVectorView<T, S>, \
                                             MultiVectorView<T, S>);                                              \
  template void fill_constant_candidates<T, S>(Context<S>&, MultiVectorView<T, S>, std::int64_t);

}  // namespace amgsolve
