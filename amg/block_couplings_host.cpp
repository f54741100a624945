#include "amg/block_couplings_steps.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {

template <class T>
void candidate_magnitudes(Context<Host>& ctx, FatView<const T, Host> candidates, Index block_size,
                          Span<T, Host> magnitudes) {
  T* sums = magnitudes.data();
  parallel_for(ctx, static_cast<std::int64_t>(magnitudes.size()), [=](std::int64_t node) {
    T sum = 0;
    for (Index r = 0; r < block_size; ++r) {
      sum += std::fabs(candidates.data[(node * block_size + r) * candidates.columns + r]);
    }
    sums[node] = sum;
  });
}

template <class T>
void lump_blocks(Context<Host>& ctx, const BlockFilter<T, Host>& filter, Span<Offset, Host> counts) {
  Offset* entries = counts.data();
  parallel_for(ctx, filter.A.rows, [=](std::int64_t i) { entries[i] = filter.drop(i); });
  parallel_for(ctx, filter.kept.rows, [=](std::int64_t node) { filter.lump(node); });
}

template <class T>
void fill_filtered(Context<Host>& ctx, const BlockFilter<T, Host>& filter, CsrMatrix<T, Host>& filtered) {
  const Offset* offsets = filtered.row_offsets.data();
  Index* cols = filtered.col_indices.data();
  T* values = filtered.values.data();
  parallel_for(ctx, filter.A.rows, [=](std::int64_t i) { filter.fill(i, offsets[i], cols, values); });
}

#define AMGSOLVE_INSTANTIATE(T)                                                                     \
  template void candidate_magnitudes(Context<Host>&, FatView<const T, Host>, Index, Span<T, Host>); \
  template void lump_blocks(Context<Host>&, const BlockFilter<T, Host>&, Span<Offset, Host>);       \
  template void fill_filtered(Context<Host>&, const BlockFilter<T, Host>&, CsrMatrix<T, Host>&);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
