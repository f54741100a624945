#include <cmath>
#include <limits>

#include "amg/aggregate_nodes.hpp"
#include "amg/tentative.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {
namespace {

/// The candidates of all aggregates, orthonormalised in place; columns of one aggregate are short enough for a thread.
template <class T>
struct AggregateColumns {
  const Offset* offsets;
  const Index* nodes;
  Index block_size;
  std::int64_t k;
  T* basis;  ///< rows × k

  /// Calls visit(entries of a row) for the rows of all unknowns of the aggregate.
  template <class Visit>
  __device__ void for_each_row(std::int64_t aggregate, Visit visit) const {
    for (Offset m = offsets[aggregate]; m < offsets[aggregate + 1]; ++m) {
      T* row = basis + nodes[m] * block_size * k;
      for (Index c = 0; c < block_size; ++c, row += k) {
        visit(row);
      }
    }
  }

  __device__ T dot(std::int64_t aggregate, std::int64_t p, std::int64_t q) const {
    T sum = 0;
    for_each_row(aggregate, [&](const T* row) { sum += row[p] * row[q]; });
    return sum;
  }
};

/// Modified Gram–Schmidt, applied twice, on the columns of one aggregate a thread. The rows of an aggregate lie near
/// each other but not side by side: every pass after the first finds them in the cache.
template <class T>
__global__ void orthonormalise(std::int64_t aggregates, AggregateColumns<T> columns, T dependent,
                               T* coarse_candidates) {
  const std::int64_t a = thread_index();
  if (a >= aggregates) {
    return;
  }
  const std::int64_t k = columns.k;
  T* R = coarse_candidates + a * k * k;
  for (std::int64_t q = 0; q < k; ++q) {
    for (std::int64_t p = 0; p < k; ++p) {
      R[p * k + q] = 0;
    }
    const T norm_before = sqrt(columns.dot(a, q, q));
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t p = 0; p < q; ++p) {
        const T projection = columns.dot(a, p, q);
        R[p * k + q] += projection;
        columns.for_each_row(a, [&](T* row) { row[q] -= projection * row[p]; });
      }
    }
    const T norm = sqrt(columns.dot(a, q, q));
    const bool independent = norm > dependent * norm_before;
    R[q * k + q] = independent ? norm : T{0};
    const T scale = independent ? T{1} / norm : T{0};
    columns.for_each_row(a, [&](T* row) { row[q] *= scale; });
  }
}

}  // namespace

template <class T>
Tentative<T, Cuda> tentative_prolongator(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates, Index block_size,
                                         FatView<const std::type_identity_t<T>, Cuda> candidates) {
  const AggregateNodes<Cuda> members = aggregate_nodes(ctx, aggregates);
  const Index coarse_rows =
      checked_index(static_cast<std::int64_t>(aggregates.count) * candidates.columns, "rows of the coarse level");
  Tentative<T, Cuda> tentative{FatVector<T, Cuda>(ctx, candidates.rows, candidates.columns),
                               FatVector<T, Cuda>(ctx, coarse_rows, candidates.columns)};
  T* basis = tentative.basis.data();
  const T* given = candidates.data;
  const Index* of_node = aggregates.of_node.data();
  const std::int64_t k = candidates.columns;
  const std::int64_t entries_per_node = k * block_size;
  // Rows outside every aggregate are never read as part of T, but must not hold garbage.
  parallel_for(ctx, static_cast<std::int64_t>(candidates.size()), [=] __device__(std::int64_t i) {
    basis[i] = of_node[i / entries_per_node] == Aggregates<Cuda>::none ? T{0} : given[i];
  });
  const AggregateColumns<T> columns{members.offsets.data(), members.nodes.data(), block_size, k, basis};
  launch(ctx, orthonormalise<T>, Grid::of_threads(aggregates.count, 128), aggregates.count, columns,
         std::sqrt(std::numeric_limits<T>::epsilon()), tentative.coarse_candidates.data());
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(2 * tentative.basis.bytes() + tentative.coarse_candidates.bytes() +
                                          aggregates.of_node.bytes()),
       .flops = static_cast<std::int64_t>(4 * candidates.size()) * k});
  return tentative;
}

template <class T>
void fill_constant_candidates(Context<Cuda>& ctx, FatView<T, Cuda> candidates) {
  const std::int64_t k = candidates.columns;
  T* values = candidates.data;
  parallel_for(ctx, static_cast<std::int64_t>(candidates.size()),
               [=] __device__(std::int64_t i) { values[i] = i / k % k == i % k ? T{1} : T{0}; });
}

#define AMGSOLVE_INSTANTIATE(T)                                                                     \
  template Tentative<T, Cuda> tentative_prolongator(Context<Cuda>&, const Aggregates<Cuda>&, Index, \
                                                    FatView<const T, Cuda>);                        \
  template void fill_constant_candidates(Context<Cuda>&, FatView<T, Cuda>);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
