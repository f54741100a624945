#pragma once

#include <cmath>

#include "amg/block_couplings_steps.hpp"
#include "amg/work_slices.hpp"
#include "core/instantiate.hpp"

/// The bodies of the steps of strong_block_couplings(), written once for both memory spaces: parallel_for and
/// parallel_rows(ctx, rows, entries, body), which calls body(lanes, i) for every row, are those of the context.
namespace amgsolve {

template <class T, MemorySpace S>
struct DropRow {
  BlockFilter<T, S> filter;
  Offset* counts;

  template <class Lanes>
  AMGSOLVE_LANES void operator()(const Lanes& lanes, std::int64_t i) const {
    const Offset count = filter.drop(lanes, i);
    if (lanes.thread_rank() == 0) {
      counts[i] = count;
    }
  }
};

template <class T, MemorySpace S>
struct LumpNode {
  BlockFilter<T, S> filter;
  std::int64_t first;
  std::int64_t last;

  AMGSOLVE_HOST_DEVICE void operator()(std::int64_t node) const { filter.lump(node, first, last); }
};

template <class T, MemorySpace S>
struct FillRow {
  BlockFilter<T, S> filter;
  const Offset* offsets;
  Index* cols;
  T* values;

  template <class Lanes>
  AMGSOLVE_LANES void operator()(const Lanes& lanes, std::int64_t i) const {
    filter.fill(lanes, i, offsets[i], cols, values);
  }
};

template <class T, MemorySpace S>
void candidate_magnitudes(Context<S>& ctx, std::type_identity_t<MultiVectorView<const T, S>> candidates,
                          Index block_size, std::type_identity_t<Span<T, S>> magnitudes) {
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
void lump_blocks(Context<S>& ctx, const BlockFilter<T, S>& filter, Offset entries, Span<Offset, S> counts) {
  parallel_rows(ctx, filter.A.rows, entries, DropRow<T, S>{filter, counts.data()});
  const auto visits_of = [&filter](std::int64_t step) { return filter.visits_of_lumping(step); };
  in_slices(ctx, filter.steps_of_lumping(), visits_of, [&](std::int64_t first, std::int64_t last, std::int64_t visits) {
    parallel_for(ctx, filter.kept.rows, LumpNode<T, S>{filter, first, last}, visits);
  });
}

template <class T, MemorySpace S>
void fill_filtered(Context<S>& ctx, const BlockFilter<T, S>& filter, Offset entries, CsrMatrix<T, S>& filtered) {
  parallel_rows(
      ctx, filter.A.rows, entries,
      FillRow<T, S>{filter, filtered.row_offsets.data(), filtered.col_indices.data(), filtered.values.data()});
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                       \
  template void candidate_magnitudes<T, S>(Context<S>&, MultiVectorView<const T, S>, Index, Span<T, S>); \
  template void lump_blocks(Context<S>&, const BlockFilter<T, S>&, Offset, Span<Offset, S>);             \
  template void fill_filtered(Context<S>&, const BlockFilter<T, S>&, Offset, CsrMatrix<T, S>&);

}  // namespace amgsolve
