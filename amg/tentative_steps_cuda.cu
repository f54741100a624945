#include "amg/tentative_rows.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {
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
void detail::orthonormalise(Context<Cuda>& ctx, const AggregateNodes<Cuda>& aggregates, Index block_size,
                            FatView<T, Cuda> basis, FatView<T, Cuda> coarse_candidates) {
  const std::int64_t count = coarse_candidates.rows / basis.columns;
  const AggregateColumns<T> columns{aggregates.offsets.data(), aggregates.nodes.data(), block_size, basis.columns,
                                    basis.data};
  launch(ctx, orthonormalise_kernel<T>, Grid::of_threads(count, 128), count, columns, dependent_part<T>(),
         coarse_candidates.data);
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
