#pragma once

#include "amg/block_merge.hpp"
#include "amg/block_size_steps.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"

/// The body of the step of find_block_size(), written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve {

template <class T, MemorySpace S>
void detail::count_blocks_of_sample(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, const RowStrata& nodes,
                                    Span<Index, S> blocks, Span<Index, S> entries) {
  WorkspaceScope<S> scope(ctx.workspace());
  const std::size_t room = static_cast<std::size_t>(nodes.count) * static_cast<std::size_t>(block_size);
  Offset* const cursors = scope.template take<Offset>(room).data();
  const CsrRef<T> a = ref_of(A);
  Index* const blocks_of = blocks.data();
  Index* const entries_of = entries.data();
  parallel_for(
      ctx, nodes.count, [a, block_size, nodes, cursors, blocks_of, entries_of] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
        const std::int64_t node = nodes.row(i);
        BlockMerge<T> merge(a, block_size, node, {cursors + i, nodes.count});
        Index count = 0;
        for (Index column = merge.block_col(); column != max_index; column = merge.block_col()) {
          merge.skip(column);
          ++count;
        }
        blocks_of[i] = count;
        entries_of[i] = static_cast<Index>(a.row_offsets[(node + 1) * block_size] - a.row_offsets[node * block_size]);
      });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                           \
  template void detail::count_blocks_of_sample(Context<S>&, const CsrMatrix<T, S>&, Index, const RowStrata&, \
                                               Span<Index, S>, Span<Index, S>);

}  // namespace amgsolve
