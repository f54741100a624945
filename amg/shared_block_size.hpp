#pragma once

#include "dist/local_matrix.hpp"

namespace amgsolve {

/// Whether find_block_size() may find several unknowns a node in a matrix whose rows ranks share: whether the blocks of
/// some size are as full as it asks for, by the same sample. The sums that it decides by then are left to whoever has
/// the whole matrix. Collective.
template <class T, MemorySpace S>
bool may_have_blocks(Context<S>& ctx, const LocalMatrix<T, S>& A);

}  // namespace amgsolve
