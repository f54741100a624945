#include "amg/row_lanes_cuda.cuh"
#include "amg/strength.hpp"
#include "core/algorithms.hpp"

namespace amgsolve {
namespace {

/// Merges the b sorted rows of a node block by block, one thread a node. The next entry of each row is kept in global
/// memory, row r of all nodes side by side, since b is not known when this is compiled.
template <class T>
struct BlockMerge {
  const Offset* row_offsets;
  const Index* col_indices;
  const T* values;
  Index block_size;
  std::int64_t nodes;
  Offset* cursors;  ///< block_size × nodes

  __device__ void start(std::int64_t node) const {
    for (Index r = 0; r < block_size; ++r) {
      cursors[r * nodes + node] = row_offsets[node * block_size + r];
    }
  }

  /// The next block's column and ‖block‖_F²; max_index past the last one.
  __device__ Index next(std::int64_t node, T& norm_squared) const {
    Index block_col = max_index;
    for (Index r = 0; r < block_size; ++r) {
      const Offset k = cursors[r * nodes + node];
      if (k < row_offsets[node * block_size + r + 1]) {
        block_col = min(block_col, col_indices[k] / block_size);
      }
    }
    norm_squared = 0;
    for (Index r = 0; r < block_size; ++r) {
      Offset k = cursors[r * nodes + node];
      const Offset end = row_offsets[node * block_size + r + 1];
      for (; k < end && col_indices[k] / block_size == block_col; ++k) {
        norm_squared += values[k] * values[k];
      }
      cursors[r * nodes + node] = k;
    }
    return block_col;
  }
};

/// Squares instead of square roots: |a_ij|² > θ² |a_ii a_jj|. The product commutes, so the test is as symmetric as A.
template <class T>
struct StrongEntry {
  const Index* col_indices;
  const T* values;
  const T* diagonal;
  T theta_squared;

  __device__ bool operator()(std::int64_t i, Offset k) const {
    const Index j = col_indices[k];
    const T a = values[k];
    return j != i && a * a > theta_squared * fabs(diagonal[i] * diagonal[j]);
  }
};

}  // namespace

template <class T>
CsrMatrix<T, Cuda> amalgamate(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Index block_size) {
  const Index nodes = A.rows / block_size;
  WorkspaceScope scope(ctx.workspace());
  const auto cursors = scope.take<Offset>(static_cast<std::size_t>(A.rows));
  const BlockMerge<T> merge{A.row_offsets.data(), A.col_indices.data(), A.values.data(), block_size, nodes,
                            cursors.data()};
  CsrMatrix<T, Cuda> norms;
  norms.rows = norms.cols = nodes;
  norms.row_offsets = Buffer<Offset, Cuda>(ctx, static_cast<std::size_t>(nodes) + 1);
  Offset* offsets = norms.row_offsets.data();
  parallel_for(ctx, nodes, [=] __device__(std::int64_t node) {
    T norm_squared;
    Offset count = 0;
    merge.start(node);
    while (merge.next(node, norm_squared) != max_index) {
      ++count;
    }
    offsets[node + 1] = count;
  });
  const Offset nnz = counts_to_offsets(ctx, norms.row_offsets);
  norms.col_indices = Buffer<Index, Cuda>(ctx, static_cast<std::size_t>(nnz));
  norms.values = Buffer<T, Cuda>(ctx, static_cast<std::size_t>(nnz));
  Index* block_cols = norms.col_indices.data();
  T* values = norms.values.data();
  parallel_for(ctx, nodes, [=] __device__(std::int64_t node) {
    merge.start(node);
    for (Offset k = offsets[node]; k < offsets[node + 1]; ++k) {
      T norm_squared;
      block_cols[k] = merge.next(node, norm_squared);
      values[k] = sqrt(norm_squared);
    }
  });
  return norms;
}

template <class T>
Graph<Cuda> strength_graph(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                           Span<const std::type_identity_t<T>, Cuda> diagonal, double threshold) {
  const StrongEntry<T> strong{A.col_indices.data(), A.values.data(), diagonal.data(),
                              static_cast<T>(threshold * threshold)};
  const Offset* row_offsets = A.row_offsets.data();
  const Index* col_indices = A.col_indices.data();
  Buffer<Offset, Cuda> graph_offsets(ctx, static_cast<std::size_t>(A.rows) + 1);
  Offset* offsets = graph_offsets.data();
  parallel_rows(ctx, A.rows, [=] __device__(RowLanes lanes, std::int64_t i) {
    int count = 0;
    for (Offset k = row_offsets[i] + lanes.thread_rank(); k < row_offsets[i + 1]; k += row_lanes) {
      count += strong(i, k) ? 1 : 0;
    }
    count = cooperative_groups::reduce(lanes, count, cooperative_groups::plus<int>());
    if (lanes.thread_rank() == 0) {
      offsets[i + 1] = count;
    }
  });
  const Offset edges = counts_to_offsets(ctx, graph_offsets);
  Buffer<Index, Cuda> graph_neighbours(ctx, static_cast<std::size_t>(edges));
  Index* neighbours = graph_neighbours.data();
  parallel_rows(ctx, A.rows, [=] __device__(RowLanes lanes, std::int64_t i) {
    const Offset end = row_offsets[i + 1];
    Offset next = offsets[i];
    for (Offset chunk = row_offsets[i]; chunk < end; chunk += row_lanes) {
      const Offset k = chunk + lanes.thread_rank();
      const bool keep = k < end && strong(i, k);
      const unsigned kept = lanes.ballot(keep);
      if (keep) {
        neighbours[next + __popc(kept & ((1U << lanes.thread_rank()) - 1U))] = col_indices[k];
      }
      next += __popc(kept);
    }
  });
  ctx.profile().add({.bytes = static_cast<std::int64_t>(2 * (A.bytes() + diagonal.size() * sizeof(T)) +
                                                        graph_offsets.bytes() + graph_neighbours.bytes()),
                     .flops = 4 * A.nnz()});
  return {A.rows, std::move(graph_offsets), std::move(graph_neighbours)};
}

#define AMGSOLVE_INSTANTIATE(T)                                                             \
  template CsrMatrix<T, Cuda> amalgamate(Context<Cuda>&, const CsrMatrix<T, Cuda>&, Index); \
  template Graph<Cuda> strength_graph(Context<Cuda>&, const CsrMatrix<T, Cuda>&, Span<const T, Cuda>, double);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
