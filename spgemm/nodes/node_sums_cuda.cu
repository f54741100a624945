#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/instantiate.hpp"
#include "core/parallel_cuda.cuh"
#include "core/search.hpp"
#include "core/thread_group_cuda.cuh"
#include "spgemm/nodes/node_sums.hpp"
#include "spgemm/nodes/tuning.hpp"
#include "spgemm/rows/scaled_row_cuda.cuh"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

using nodes::nodes_ahead;

/// The values of a matrix, and where its blocks are.
template <class T>
struct NodesRef {
  CsrRef<NoValue> blocks;
  const T* values;
};

template <class T>
NodesRef<T> ref_of(const MatrixOfNodes<T, Cuda>& A) {
  return {pattern_ref(A.pattern), A.A.values.data()};
}

/// The rows of C that belong to a node, by a block of threads: A's row node by node, the row of B of each column by
/// column. A thread sums a column for all rows of the node.
/// @param places  blocks of a row of C that there is shared memory for
template <class T, int Rows, int Threads>
__global__ void __launch_bounds__(Threads) sum_by_nodes_kernel(NodesRef<T> A, NodesRef<T> B, CsrRef<NoValue> C,
                                                               Index inner, Index columns, Index places, T* values) {
  using Group = std::conditional_t<Threads == warp_size, LaneGroup<warp_size>, BlockGroup<Threads>>;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ T scales[Rows][nodes_ahead * most_node_unknowns];
  __shared__ Offset b_begins[nodes_ahead];
  __shared__ Index b_blocks[nodes_ahead];
  const auto thread = static_cast<Index>(threadIdx.x);
  const std::int64_t node = blockIdx.x;
  const Offset c_begin = C.row_offsets[node];
  const auto c_blocks = static_cast<Index>(C.row_offsets[node + 1] - c_begin);
  const Index c_length = c_blocks * columns;
  T* const result = values + c_begin * Rows * columns;
  T* sums = result;
  const Index* c_nodes = C.col_indices + c_begin;
  const bool is_on_chip = c_blocks <= places;
  if (is_on_chip) {
    sums = reinterpret_cast<T*>(shared);
    auto* const copied = reinterpret_cast<Index*>(sums + static_cast<std::size_t>(places) * Rows * columns);
    for (Index k = thread; k < c_blocks; k += Threads) {
      copied[k] = c_nodes[k];
    }
    c_nodes = copied;
  }
  for (Index k = thread; k < Rows * c_length; k += Threads) {
    sums[k] = T{0};
  }
  const Offset a_begin = A.blocks.row_offsets[node];
  const auto a_blocks = static_cast<Index>(A.blocks.row_offsets[node + 1] - a_begin);
  const T* const a_values = A.values + a_begin * Rows * inner;
  for (Index first = 0; first < a_blocks; first += nodes_ahead) {
    const Index count = min(a_blocks - first, nodes_ahead);
    Group::sync();
    for (Index k = thread; k < count; k += Threads) {
      const Index b_row = A.blocks.col_indices[a_begin + first + k];
      b_begins[k] = B.blocks.row_offsets[b_row];
      b_blocks[k] = static_cast<Index>(B.blocks.row_offsets[b_row + 1] - b_begins[k]);
    }
    for (Index k = thread; k < count * inner; k += Threads) {
#pragma unroll
      for (int i = 0; i < Rows; ++i) {
        scales[i][k] = a_values[(Offset{i} * a_blocks + first) * inner + k];
      }
    }
    Group::sync();
    for (Index k = 0; k < count; ++k) {
      const Index length = b_blocks[k] * columns;
      const T* const b_values = B.values + b_begins[k] * inner * columns;
      const Index* const b_nodes = B.blocks.col_indices + b_begins[k];
      for (Index column = thread; column < length; column += Threads) {
        const Index block = column / columns;
        const auto place = static_cast<Index>(lower_bound(c_nodes, 0, c_blocks, b_nodes[block]));
        T* const target = sums + place * columns + (column - block * columns);
        T sum[Rows];
#pragma unroll
        for (int i = 0; i < Rows; ++i) {
          sum[i] = target[i * c_length];
        }
        for (Index of_node = 0; of_node < inner; ++of_node) {
          const T value = b_values[of_node * length + column];
#pragma unroll
          for (int i = 0; i < Rows; ++i) {
            sum[i] += scales[i][k * inner + of_node] * value;
          }
        }
#pragma unroll
        for (int i = 0; i < Rows; ++i) {
          target[i * c_length] = sum[i];
        }
      }
      Group::sync();
    }
  }
  if (is_on_chip) {
    for (Index k = thread; k < Rows * c_length; k += Threads) {
      result[k] = sums[k];
    }
  }
}

/// @param longest  blocks of a row of C
template <class T, int Rows, int Threads>
void sum_rows(Context<Cuda>& ctx, const NodeSizes& sizes, const MatrixOfNodes<T, Cuda>& A,
              const MatrixOfNodes<T, Cuda>& B, const NodePattern<Cuda>& C, Index longest, std::size_t most_bytes,
              Span<T, Cuda> values) {
  const std::size_t bytes_of_place = static_cast<std::size_t>(sizes.rows) * sizes.columns * sizeof(T) + sizeof(Index);
  const auto places = std::min<Index>(longest, static_cast<Index>(most_bytes / bytes_of_place));
  launch(ctx, sum_by_nodes_kernel<T, Rows, Threads>,
         {C.rows, Threads, static_cast<std::size_t>(places) * bytes_of_place}, ref_of(A), ref_of(B), pattern_ref(C),
         sizes.inner, sizes.columns, places, values.data());
}

}  // namespace

template <class T>
void sum_by_nodes(Context<Cuda>& ctx, const NodeSizes& sizes, const MatrixOfNodes<T, Cuda>& A,
                  const MatrixOfNodes<T, Cuda>& B, const NodePattern<Cuda>& C, Span<T, Cuda> values) {
  const Index longest = row_statistics(ctx, C).longest;
  const nodes::Tuning tuning = nodes::tuning_for(compute_capability(ctx.device()));
  with_unknowns(sizes.rows, [&](auto rows) {
    if (B.A.nnz() <= Offset{nodes::few_threads} * B.A.rows) {
      sum_rows<T, rows(), nodes::few_threads>(ctx, sizes, A, B, C, longest, tuning.few_thread_bytes, values);
    } else {
      sum_rows<T, rows(), nodes::many_threads>(ctx, sizes, A, B, C, longest, tuning.many_thread_bytes, values);
    }
  });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_NODE_SUMS, Cuda)

}  // namespace amgsolve
