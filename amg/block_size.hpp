#pragma once

#include <algorithm>
#include <cstdint>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/row_sample.hpp"

namespace amgsolve {

/// The largest candidate, and the part of their blocks that the entries of a system fill at least. Structures in files,
/// whose zeros were left out: 0.70 to 0.98; scalar problems: below 0.6, but for discontinuous elements.
inline constexpr Index largest_node = 6;
inline constexpr double least_node_fill = 0.55;

/// The nodes that are looked at.
inline RowStrata sampled_nodes(std::int64_t nodes) {
  constexpr std::int64_t most = 1024;
  return {nodes, static_cast<Index>(std::min(nodes, most))};
}

/// The unknowns a node that a symmetric A shows, numbered node by node; 1 where it shows none.
///
/// b is a candidate, 6, 5 … 2, where A has square blocks of b that are mostly full: of a sample of at most 1024 nodes
/// the entries fill 0.55 of the blocks that they touch, where those of scalar problems fill half of them or less. Taken
/// is the largest candidate whose unknowns are smooth by themselves (SmoothUnknowns). Where the unknowns of a block are
/// neighbours in a mesh of one unknown a node, as of discontinuous elements, their energy is several times what is
/// smooth. Neither is a constant smooth that a singular A maps to zero, unless it maps each t_c so.
///
/// The sample, and for each candidate a product of A with b columns. Synchronises.
template <class T, MemorySpace S>
Index find_block_size(Context<S>& ctx, const CsrMatrix<T, S>& A);

}  // namespace amgsolve
