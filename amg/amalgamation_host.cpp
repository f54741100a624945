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
    body(static_cast<std::size_t>(node), BlockMerge<T>(A.row_offsets.data(), A.col_indices.data(), A.values.data(),
                                                       block_size, node, cursors.data() + thread_number(ctx) * b, 1));
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
void fill_block_norms(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index block_size, CsrMatrix<T, Host>& norms) {
  for_each_node(ctx, A, block_size, [&](std::size_t node, BlockMerge<T> merge) {
    const auto end = static_cast<std::size_t>(norms.row_offsets[node + 1]);
    for (auto k = static_cast<std::size_t>(norms.row_offsets[node]); k < end; ++k) {
      const Index block_col = merge.block_col();
      norms.col_indices[k] = block_col;
      norms.values[k] = merge.norm(block_col);
      merge.skip(block_col);
    }
  });
}

#define AMGSOLVE_INSTANTIATE(T)                                                                     \
  template void count_blocks(Context<Host>&, const CsrMatrix<T, Host>&, Index, Span<Offset, Host>); \
  template void fill_block_norms(Context<Host>&, const CsrMatrix<T, Host>&, Index, CsrMatrix<T, Host>&);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
