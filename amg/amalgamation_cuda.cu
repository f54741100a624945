#include "amg/amalgamation_rows.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {

/// A thread a node. The cursors lie in global memory, row r of all nodes side by side.
template <class T, class Body>
void for_each_node(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Index block_size, const Body& body) {
  const Index nodes = A.rows / block_size;
  WorkspaceScope<Cuda> scope(ctx.workspace());
  Offset* const cursors = scope.take<Offset>(static_cast<std::size_t>(A.rows)).data();
  const CsrRef<T> a = ref_of(A);
  parallel_for(ctx, nodes, [=] __device__(std::int64_t node) {
    body(node, BlockMerge<T>(a, block_size, node, cursors + node, nodes));
  });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
