#include "amg/aggregate_columns.hpp"
#include "amg/tentative_steps.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve::detail {
namespace {

/// A thread an aggregate: its columns are short.
template <class T>
__global__ void orthonormalise_kernel(std::int64_t aggregates, AggregateColumns<T> columns, T dependent, T* R) {
  const std::int64_t a = thread_index();
  if (a < aggregates) {
    columns.orthonormalise(a, dependent, R + a * columns.k * columns.k);
  }
}

}  // namespace

template <class T>
void restrict_candidates(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates, Index block_size,
                         FatView<const T, Cuda> candidates, FatView<T, Cuda> basis) {
  const Index* of_node = aggregates.of_node.data();
  const std::int64_t entries_per_node = std::int64_t{candidates.columns} * block_size;
  const T* given = candidates.data;
  T* restricted = basis.data;
  parallel_for(ctx, static_cast<std::int64_t>(candidates.size()), [=] __device__(std::int64_t i) {
    restricted[i] = of_node[i / entries_per_node] == Aggregates<Cuda>::none ? T{0} : given[i];
  });
}

template <class T>
void orthonormalise(Context<Cuda>& ctx, const AggregateNodes<Cuda>& aggregates, Index block_size,
                    FatView<T, Cuda> basis, FatView<T, Cuda> coarse_candidates) {
  const std::int64_t count = coarse_candidates.rows / basis.columns;
  const AggregateColumns<T> columns{aggregates.offsets.data(), aggregates.nodes.data(), block_size, basis.columns,
                                    basis.data};
  launch(ctx, orthonormalise_kernel<T>, Grid::of_threads(count, 128), count, columns, dependent_part<T>(),
         coarse_candidates.data);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                 \
  template void restrict_candidates(Context<S>&, const Aggregates<S>&, Index, FatView<const T, S>, FatView<T, S>); \
  template void orthonormalise(Context<S>&, const AggregateNodes<S>&, Index, FatView<T, S>, FatView<T, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve::detail

namespace amgsolve {

template <class T>
void fill_constant_candidates(Context<Cuda>& ctx, FatView<T, Cuda> candidates) {
  const std::int64_t k = candidates.columns;
  T* values = candidates.data;
  parallel_for(ctx, static_cast<std::int64_t>(candidates.size()),
               [=] __device__(std::int64_t i) { values[i] = i / k % k == i % k ? T{1} : T{0}; });
}

template void fill_constant_candidates(Context<Cuda>&, FatView<float, Cuda>);
template void fill_constant_candidates(Context<Cuda>&, FatView<double, Cuda>);

}  // namespace amgsolve
