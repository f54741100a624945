#include "amg/amalgamation_steps.hpp"
#include "amg/block_merge.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

/// Calls body(node, merge) for every node with a BlockMerge of its rows.
template <class T, class Body>
void for_each_node(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index block_size, const Body& body) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto b = static_cast<std::size_t>(block_size);
  const auto cursors = scope.take<Offset>(static_cast<std::size_t>(ctx.threads()) * b);
  parallel_for(ctx, A.rows / block_size, [&](std::int64_t node) {
    body(static_cast<std::size_t>(node),
         BlockMerge<T>(ref_of(A), block_size, node, cursors.data() + thread_number(ctx) * b, 1));
  });
}

}  // namespace

template <class T>
void count_blocks(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index block_size, Span<Offset, Host> counts) {
  for_each_node(ctx, A, block_size, [&](std::size_t node, BlockMerge<T> merge) {
    Offset count = 0;
    for (Index block_col = merge.block_col(); block_col != max_index; block_col = merge.block_col()) {
      merge.skip(block_col);
      ++count;
    }
    counts[node] = count;
  });
}

template <class T>
void fill_blocks(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index block_size, FatView<const T, Host> candidates,
                 CsrMatrix<T, Host>& nodes) {
  for_each_node(ctx, A, block_size, [&](std::size_t node, BlockMerge<T> merge) {
    const auto end = static_cast<std::size_t>(nodes.row_offsets[node + 1]);
    for (auto k = static_cast<std::size_t>(nodes.row_offsets[node]); k < end; ++k) {
      const Index block_col = merge.block_col();
      nodes.col_indices[k] = block_col;
      nodes.values[k] = candidates.data == nullptr ? merge.norm(block_col) : merge.signed_trace(block_col, candidates);
      merge.skip(block_col);
    }
  });
}

#define AMGSOLVE_INSTANTIATE(T)                                                                       \
  template void count_blocks(Context<Host>&, const CsrMatrix<T, Host>&, Index, Span<Offset, Host>);   \
  template void fill_blocks(Context<Host>&, const CsrMatrix<T, Host>&, Index, FatView<const T, Host>, \
                            CsrMatrix<T, Host>&);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
