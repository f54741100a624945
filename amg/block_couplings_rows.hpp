#pragma once

#include <cmath>

#include "amg/block_couplings_steps.hpp"
#include "core/instantiate.hpp"

/// The bodies of the steps of strong_block_couplings(), written once for both memory spaces: parallel_for is that of
/// the context. A row or a node is the work of one thread.
namespace amgsolve {

template <class T, MemorySpace S>
void candidate_magnitudes(Context<S>& ctx, std::type_identity_t<FatView<const T, S>> candidates, Index block_size,
                          std::type_identity_t<Span<T, S>> magnitudes) {
  T* const sums = magnitudes.data();
  parallel_for(ctx, static_cast<std::int64_t>(magnitudes.size()),
               [candidates, block_size, sums] AMGSOLVE_HOST_DEVICE(std::int64_t node) {
                 T sum = 0;
                 for (Index r = 0; r < block_size; ++r) {
                   sum += std::fabs(candidates.data[(node * block_size + r) * candidates.columns + r]);
                 }
                 sums[node] = sum;
               });
}

template <class T, MemorySpace S>
void lump_blocks(Context<S>& ctx, const BlockFilter<T, S>& filter, Span<Offset, S> counts) {
  Offset* const entries = counts.data();
  parallel_for(ctx, filter.A.rows,
               [filter, entries] AMGSOLVE_HOST_DEVICE(std::int64_t i) { entries[i] = filter.drop(i); });
  parallel_for(ctx, filter.kept.rows, [filter] AMGSOLVE_HOST_DEVICE(std::int64_t node) { filter.lump(node); });
}

template <class T, MemorySpace S>
void fill_filtered(Context<S>& ctx, const BlockFilter<T, S>& filter, CsrMatrix<T, S>& filtered) {
  const Offset* const offsets = filtered.row_offsets.data();
  Index* const cols = filtered.col_indices.data();
  T* const values = filtered.values.data();
  parallel_for(ctx, filter.A.rows, [filter, offsets, cols, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    filter.fill(i, offsets[i], cols, values);
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                               \
  template void candidate_magnitudes<T, S>(Context<S>&, FatView<const T, S>, Index, Span<T, S>); \
  template void lump_blocks(Context<S>&, const BlockFilter<T, S>&, Span<Offset, S>);             \
  template void fill_filtered(Context<S>&, const BlockFilter<T, S>&, CsrMatrix<T, S>&);

}  // namespace amgsolve
