#pragma once

#include <cstdint>

#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/one_lane.hpp"
#include "spgemm/nodes/node_pattern.hpp"
#include "spmv/counted_rows.hpp"

/// The bodies of spgemm/nodes/node_pattern.hpp, written once for both memory spaces: for_rows() calls a body with the
/// lanes that a row has there, find_first is that of the context.
namespace amgsolve {

/// Lists the blocks of a node's rows, and says where there are others than whole ones.
struct ListBlocks {
  const Offset* row_offsets;
  const Index* col_indices;
  Index rows;
  Index cols;
  Offset* offsets;  ///< of the pattern
  Index* blocks;
  float* values;
  std::uint8_t* is_broken;

  template <class Lanes>
  AMGSOLVE_LANES void operator()(const Lanes& lanes, std::int64_t node) const {
    const Offset first = row_offsets[node * rows];
    const auto length = static_cast<Index>(row_offsets[node * rows + 1] - first);
    const Offset begin = first / (rows * cols);
    bool is_whole = first % (rows * cols) == 0 && length % cols == 0;
    for (Index i = 1; i < rows; ++i) {
      is_whole = is_whole && row_offsets[node * rows + i + 1] - row_offsets[node * rows + i] == length;
    }
    const auto step = static_cast<Index>(lanes.num_threads());
    for (auto k = static_cast<Index>(lanes.thread_rank()); is_whole && k < length; k += step) {
      const Index column = col_indices[first + k];
      const Index of_block = k % cols;
      if (of_block == 0) {
        blocks[begin + k / cols] = column / cols;
        values[begin + k / cols] = 1.0F;
        is_whole = column % cols == 0;
      } else {
        is_whole = column == col_indices[first + k - 1] + 1;
      }
      for (Index i = 1; i < rows; ++i) {
        is_whole = is_whole && col_indices[first + Offset{i} * length + k] == column;
      }
    }
    const bool is_of_one_broken = lanes.ballot(!is_whole) != 0;
    if (lanes.thread_rank() == 0) {
      offsets[node] = begin;
      is_broken[node] = is_of_one_broken ? 1 : 0;
    }
  }
};

/// Writes the offset and the columns of a row of a matrix with the blocks of a pattern.
struct WriteColumns {
  const Offset* offsets;  ///< of the pattern
  const Index* blocks;
  Index rows;
  Index cols;
  Offset* row_offsets;
  Index* col_indices;

  template <class Lanes>
  AMGSOLVE_LANES void operator()(const Lanes& lanes, std::int64_t row) const {
    const std::int64_t node = row / rows;
    const Offset first = offsets[node];
    const Index length = static_cast<Index>(offsets[node + 1] - first) * cols;
    const Offset begin = first * rows * cols + (row % rows) * length;
    if (lanes.thread_rank() == 0) {
      row_offsets[row + 1] = begin + length;
    }
    const auto step = static_cast<Index>(lanes.num_threads());
    for (auto k = static_cast<Index>(lanes.thread_rank()); k < length; k += step) {
      col_indices[begin + k] = blocks[first + k / cols] * cols + k % cols;
    }
  }
};

template <class T, MemorySpace S>
bool find_node_pattern(Context<S>& ctx, const CsrMatrix<T, S>& A, Index rows, Index cols, NodePattern<S>& pattern) {
  if (A.rows % rows != 0 || A.cols % cols != 0 || A.nnz() % (rows * cols) != 0) {
    return false;
  }
  pattern = NodePattern<S>(ctx, A.rows / rows, A.cols / cols, A.nnz() / (rows * cols));
  WorkspaceScope<S> scope(ctx.workspace());
  std::uint8_t* const is_broken = scope.template take<std::uint8_t>(static_cast<std::size_t>(pattern.rows)).data();
  for_rows(ctx, pattern.rows, A.nnz(),
           ListBlocks{A.row_offsets.data(), A.col_indices.data(), rows, cols, pattern.row_offsets.data(),
                      pattern.col_indices.data(), pattern.values.data(), is_broken});
  const Offset blocks = pattern.nnz();
  Offset* const end = pattern.row_offsets.data() + pattern.rows;
  parallel_for(ctx, 1, [end, blocks] AMGSOLVE_HOST_DEVICE(std::int64_t) { *end = blocks; });
  const std::int64_t broken = find_first(
      ctx, pattern.rows, [is_broken] AMGSOLVE_HOST_DEVICE(std::int64_t node) { return is_broken[node] != 0; });
  return broken == pattern.rows;
}

template <class T, MemorySpace S>
CsrMatrix<T, S> matrix_of_nodes(Context<S>& ctx, const NodePattern<S>& pattern, Index rows, Index cols,
                                const RowMargins& margins) {
  auto A = uncounted_matrix<T>(ctx, pattern.rows * rows, pattern.cols * cols);
  allocate_entries(ctx, A, pattern.nnz() * rows * cols, margins);
  Offset* const begin = A.row_offsets.data();
  parallel_for(ctx, 1, [begin] AMGSOLVE_HOST_DEVICE(std::int64_t) { *begin = 0; });
  for_rows(ctx, A.rows, A.nnz(),
           WriteColumns{pattern.row_offsets.data(), pattern.col_indices.data(), rows, cols, A.row_offsets.data(),
                        A.col_indices.data()});
  return A;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                     \
  template bool find_node_pattern(Context<S>&, const CsrMatrix<T, S>&, Index, Index, NodePattern<S>&); \
  template CsrMatrix<T, S> matrix_of_nodes(Context<S>&, const NodePattern<S>&, Index, Index, const RowMargins&);

}  // namespace amgsolve
