#pragma once

#include "dist/local_matrix.hpp"

namespace amgsolve {

/// What find_block_size() finds in a matrix whose rows ranks share, by the same sample and sums. Collective.
template <class T, MemorySpace S>
Index find_shared_block_size(Context<S>& ctx, const LocalMatrix<T, S>& A);

}  // namespace amgsolve
