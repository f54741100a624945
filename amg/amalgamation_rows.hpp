#pragma once

#include "amg/amalgamation_steps.hpp"
#include "amg/block_merge.hpp"
#include "core/instantiate.hpp"

/// The bodies of the steps of amalgamate(), written once for both memory spaces. What those have of their own is
///
///     for_each_node(ctx, A, block_size, body)
///
/// which calls body(node, merge) for every node with a BlockMerge of its rows.
namespace amgsolve {

template <class T, MemorySpace S>
void count_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, Span<Offset, S> counts) {
  Offset* const blocks = counts.data();
  for_each_node(ctx, A, block_size, [blocks] AMGSOLVE_HOST_DEVICE(std::int64_t node, BlockMerge<T> merge) {
    Offset count = 0;
    for (Index block_col = merge.block_col(); block_col != max_index; block_col = merge.block_col()) {
      merge.skip(block_col);
      ++count;
    }
    blocks[node] = count;
  });
}

template <class T, MemorySpace S>
void fill_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, FatView<const T, S> candidates,
                 CsrMatrix<T, S>& nodes) {
  const Offset* const offsets = nodes.row_offsets.data();
  Index* const block_cols = nodes.col_indices.data();
  T* const values = nodes.values.data();
  for_each_node(ctx, A, block_size,
                [offsets, candidates, block_cols, values] AMGSOLVE_HOST_DEVICE(std::int64_t node, BlockMerge<T> merge) {
                  for (Offset k = offsets[node]; k < offsets[node + 1]; ++k) {
                    const Index block_col = merge.block_col();
                    block_cols[k] = block_col;
                    values[k] =
                        candidates.data == nullptr ? merge.norm(block_col) : merge.signed_trace(block_col, candidates);
                    merge.skip(block_col);
                  }
                });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                         \
  template void count_blocks(Context<S>&, const CsrMatrix<T, S>&, Index, Span<Offset, S>); \
  template void fill_blocks(Context<S>&, const CsrMatrix<T, S>&, Index, FatView<const T, S>, CsrMatrix<T, S>&);

}  // namespace amgsolve
