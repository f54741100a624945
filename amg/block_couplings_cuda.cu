#include "amg/block_couplings_steps.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {

template <class T>
void candidate_magnitudes(Context<Cuda>& ctx, FatView<const T, Cuda> candidates, Index block_size,
                          Span<T, Cuda> magnitudes) {
  T* sums = magnitudes.data();
  parallel_for(ctx, static_cast<std::int64_t>(magnitudes.size()), [=] __device__(std::int64_t node) {
    T sum = 0;
    for (Index r = 0; r < block_size; ++r) {
      sum += std::fabs(candidates.data[(node * block_size + r) * candidates.columns + r]);
    }
    sums[node] = sum;
  });
}

template <class T>
void lump_blocks(Context<Cuda>& ctx, const BlockFilter<T, Cuda>& filter, Span<Offset, Cuda> counts) {
  Offset* entries = counts.data();
  parallel_for(ctx, filter.A.rows, [=] __device__(std::int64_t i) { entries[i] = filter.drop(i); });
  parallel_for(ctx, filter.kept.rows, [=] __device__(std::int64_t node) { filter.lump(node); });
}

template <class T>
void fill_filtered(Context<Cuda>& ctx, const BlockFilter<T, Cuda>& filter, CsrMatrix<T, Cuda>& filtered) {
  const Offset* offsets = filtered.row_offsets.data();
  Index* cols = filtered.col_indices.data();
  T* values = filtered.values.data();
  parallel_for(ctx, filter.A.rows, [=] __device__(std::int64_t i) { filter.fill(i, offsets[i], cols, values); });
}

#define AMGSOLVE_INSTANTIATE(T)                                                                     \
  template void candidate_magnitudes(Context<Cuda>&, FatView<const T, Cuda>, Index, Span<T, Cuda>); \
  template void lump_blocks(Context<Cuda>&, const BlockFilter<T, Cuda>&, Span<Offset, Cuda>);       \
  template void fill_filtered(Context<Cuda>&, const BlockFilter<T, Cuda>&, CsrMatrix<T, Cuda>&);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
