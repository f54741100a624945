#pragma once

#include "amg/amalgamation_steps.hpp"
#include "amg/block_merge.hpp"
#include "core/instantiate.hpp"

/// The bodies of the steps of amalgamate(), written once for both memory spaces. What those have of their own is
///
///     visit_blocks(ctx, A, block_size, visitor)
///
/// which calls visitor.visit(node, number, column, block) for the blocks of every node, each a NodeBlock, and
/// visitor.finish(node, count) with their number.
namespace amgsolve {

struct BlockCounter {
  Offset* counts;

  template <class Block>
  AMGSOLVE_HOST_DEVICE void visit(std::int64_t /*node*/, Offset /*number*/, Index /*column*/, const Block&) const {}
  AMGSOLVE_HOST_DEVICE void finish(std::int64_t node, Offset count) const { counts[node] = count; }
};

template <class T, MemorySpace S>
struct BlockMeasure {
  const Offset* offsets;
  MultiVectorView<const T, S> candidates;
  Index* columns;
  T* values;

  template <class Block>
  AMGSOLVE_HOST_DEVICE void visit(std::int64_t node, Offset number, Index column, const Block& block) const {
    const Offset k = offsets[node] + number;
    columns[k] = column;
    values[k] = candidates.data == nullptr ? block.norm(column) : block.signed_trace(column, candidates);
  }
  AMGSOLVE_HOST_DEVICE void finish(std::int64_t /*node*/, Offset /*count*/) const {}
};

template <class T, MemorySpace S>
void count_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, Span<Offset, S> counts) {
  visit_blocks(ctx, A, block_size, BlockCounter{counts.data()});
}

template <class T, MemorySpace S>
void fill_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, MultiVectorView<const T, S> candidates,
                 CsrMatrix<T, S>& nodes) {
  visit_blocks(ctx, A, block_size,
               BlockMeasure<T, S>{nodes.row_offsets.data(), candidates, nodes.col_indices.data(), nodes.values.data()});
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                         \
  template void count_blocks(Context<S>&, const CsrMatrix<T, S>&, Index, Span<Offset, S>); \
  template void fill_blocks(Context<S>&, const CsrMatrix<T, S>&, Index, MultiVectorView<const T, S>, CsrMatrix<T, S>&);

}  // namespace amgsolve
