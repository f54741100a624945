#pragma once

#include "dist/local_matrix.hpp"

namespace amgsolve {

/// Whether find_block_size() finds several unknowns a node in a matrix whose rows ranks share, by the same sample and
/// sums. Collective.
template <class T, MemorySpace S>
bool has_blocks(Context<S>& ctx, const LocalMatrix<T, S>& A);

}  // namespace amgsolve
