#include "amg/amalgamation_steps.hpp"
#include "amg/block_merge.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {
namespace {

/// Calls body(node, merge) for every node, by a thread each. The cursors lie in global memory, row r of all nodes side
/// by side.
template <class T, class Body>
void for_each_node(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Index block_size, const Body& body) {
  const Index nodes = A.rows / block_size;
  WorkspaceScope<Cuda> scope(ctx.workspace());
  Offset* cursors = scope.take<Offset>(static_cast<std::size_t>(A.rows)).data();
  const CsrRef<T> a = ref_of(A);
  parallel_for(ctx, nodes, [=] __device__(std::int64_t node) {
    body(node, BlockMerge<T>(a, block_size, node, cursors + node, nodes));
  });
}

template <class T>
struct CountBlocks {
  Offset* counts;

  __device__ void operator()(std::int64_t node, BlockMerge<T> merge) const {
    Offset count = 0;
    for (Index block_col = merge.block_col(); block_col != max_index; block_col = merge.block_col()) {
      merge.skip(block_col);
      ++count;
    }
    counts[node] = count;
  }
};

template <class T>
struct FillBlocks {
  const Offset* offsets;
  FatView<const T, Cuda> candidates;
  Index* block_cols;
  T* values;

  __device__ void operator()(std::int64_t node, BlockMerge<T> merge) const {
    for (Offset k = offsets[node]; k < offsets[node + 1]; ++k) {
      block_cols[k] = merge.block_col();
      values[k] =
          candidates.data == nullptr ? merge.norm(block_cols[k]) : merge.signed_trace(block_cols[k], candidates);
      merge.skip(block_cols[k]);
    }
  }
};

}  // namespace

template <class T>
void count_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Index block_size, Span<Offset, Cuda> counts) {
  for_each_node(ctx, A, block_size, CountBlocks<T>{counts.data()});
}

template <class T>
void fill_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Index block_size, FatView<const T, Cuda> candidates,
                 CsrMatrix<T, Cuda>& nodes) {
  for_each_node(ctx, A, block_size,
                FillBlocks<T>{nodes.row_offsets.data(), candidates, nodes.col_indices.data(), nodes.values.data()});
}

#define AMGSOLVE_INSTANTIATE(T)                                                                       \
  template void count_blocks(Context<Cuda>&, const CsrMatrix<T, Cuda>&, Index, Span<Offset, Cuda>);   \
  template void fill_blocks(Context<Cuda>&, const CsrMatrix<T, Cuda>&, Index, FatView<const T, Cuda>, \
                            CsrMatrix<T, Cuda>&);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
