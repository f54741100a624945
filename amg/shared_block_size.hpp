#pragma once

#include "dist/local_matrix.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

/// What find_block_size() finds in a matrix whose rows ranks share, by the same sample and sums. Collective.
/// @param magnitudes  of the rows of all ranks
template <class T, MemorySpace S>
Index find_shared_block_size(Context<S>& ctx, const LocalMatrix<T, S>& A, const RowMagnitudes& magnitudes);

}  // namespace amgsolve
