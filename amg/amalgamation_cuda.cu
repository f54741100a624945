#include "amg/amalgamation_rows.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {

namespace {

/// Cursors of a block in rows that all have the same columns.
struct AlikeCursors {
  const Offset* row_begins;
  Offset entry;  ///< of each row

  __device__ Offset operator()(Index r) const { return row_begins[r] + entry; }
};

/// Whether the rows of a node have the same columns.
template <class T>
__device__ bool rows_are_alike(const CsrRef<T>& A, const Offset* row_begins, Index block_size) {
  const Offset length = row_begins[1] - row_begins[0];
  const Index* const cols = A.col_indices + row_begins[0];
  bool alike = true;
  for (Index r = 1; r < block_size; ++r) {
    const Index* const others = A.col_indices + row_begins[r];
    alike = alike && row_begins[r + 1] - row_begins[r] == length;
    for (Offset k = lane_of_warp(); alike && k < length; k += warp_size) {
      alike = others[k] == cols[k];
    }
  }
  return __all_sync(all_lanes, alike);
}

/// A warp a node. Where its rows are alike, as those of nodes with full blocks are, every lane has an entry of the
/// first row and, if a block begins there, that block; else one lane merges the rows, with its cursors in global
/// memory, row r of all nodes side by side.
template <class T, class Visitor>
__global__ void visit_blocks_kernel(CsrRef<T> A, Index nodes, Index block_size, Offset* cursors, Visitor visitor) {
  const std::int64_t node = thread_index() / warp_size;
  if (node >= nodes) {
    return;
  }
  const int lane = lane_of_warp();
  const Offset* const row_begins = A.row_offsets + node * block_size;
  if (rows_are_alike(A, row_begins, block_size)) {
    Offset count = 0;
    const Index* const cols = A.col_indices + row_begins[0];
    const Offset length = row_begins[1] - row_begins[0];
    for (Offset first = 0; first < length; first += warp_size) {
      const Offset k = first + lane;
      const Index block_col = k < length ? cols[k] / block_size : 0;
      const bool begins = k < length && (k == 0 || cols[k - 1] / block_size != block_col);
      const unsigned all = __ballot_sync(all_lanes, begins);
      if (begins) {
        visitor.visit(node, count + __popc(all & ((1U << lane) - 1)), block_col,
                      NodeBlock<T, AlikeCursors>(A, block_size, node, {row_begins, k}));
      }
      count += __popc(all);
    }
    if (lane == 0) {
      visitor.finish(node, count);
    }
  } else if (lane == 0) {
    BlockMerge<T>(A, block_size, node, {cursors + node, nodes}).visit_all(node, visitor);
  }
}

}  // namespace

template <class T, class Visitor>
void visit_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Index block_size, const Visitor& visitor) {
  const Index nodes = A.rows / block_size;
  WorkspaceScope<Cuda> scope(ctx.workspace());
  Offset* const cursors = scope.take<Offset>(static_cast<std::size_t>(A.rows)).data();
  launch(ctx, visit_blocks_kernel<T, Visitor>, Grid::of_lanes(nodes, warp_size), ref_of(A), nodes, block_size, cursors,
         visitor);
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
