#pragma once

#include <algorithm>
#include <cstdint>

#include "core/context.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/row_sample.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

/// The largest candidate.
inline constexpr Index largest_node = 6;

/// The nodes that are looked at.
inline RowStrata sampled_nodes(std::int64_t nodes) {
  constexpr std::int64_t most = 1024;
  return {nodes, static_cast<Index>(std::min(nodes, most))};
}

/// What the nodes that are looked at have in the rows of a strip.
struct BlockCounts {
  std::int64_t entries = 0;
  std::int64_t touched = 0;  ///< blocks with an entry, of nodes of which the strip has all rows
};

/// Whether the entries fill as much of the blocks that they touch as those of systems do.
bool are_full(const BlockCounts& blocks, Index block_size);

/// @param window  of the strip's columns, whose own rows are the strip's
/// @param nodes   sampled_nodes() of all rows
/// Synchronises.
template <class T, MemorySpace S>
BlockCounts count_sampled_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, const WindowColumns& window,
                                 Index block_size, const RowStrata& nodes);

/// The unknowns a node that a symmetric A shows, numbered node by node; 1 where it shows none.
///
/// b is a candidate, 6, 5 … 2, where A has square blocks of b that are mostly full: of a sample of at most 1024 nodes
/// the entries fill 0.55 of the blocks that they touch, where those of scalar problems fill half of them or less. Taken
/// is the largest candidate whose unknowns are smooth by themselves (SmoothUnknowns). Where the unknowns of a block are
/// neighbours in a mesh of one unknown a node, as of discontinuous elements, their energy is several times what is
/// smooth. Neither is a constant smooth that a singular A maps to zero, unless it maps each t_c so.
///
/// The sample, and for each candidate a product of A with b columns. Synchronises.
/// @param magnitudes  of A's rows; empty: all unknowns are taken to be in one unit
template <class T, MemorySpace S>
Index find_block_size(Context<S>& ctx, const CsrMatrix<T, S>& A, const RowMagnitudes& magnitudes = {});

}  // namespace amgsolve
