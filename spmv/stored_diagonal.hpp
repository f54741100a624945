#pragma once

#include "spmv/storages.hpp"

namespace amgsolve::detail {

/// d_i = a_ii, 0 where none is stored. A row is the work of one thread.
/// @param first_own  the column of row 0's diagonal entry
template <class Ref, class T, MemorySpace S>
void stored_diagonal(Context<S>& ctx, const Ref& A, Index first_own, Span<T, S> d);

}  // namespace amgsolve::detail
