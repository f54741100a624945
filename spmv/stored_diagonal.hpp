#pragma once

#include "spmv/storages.hpp"

namespace amgsolve::detail {

/// d_i = a_ii, 0 where none is stored. A row is the work of one thread.
template <class Ref, class T, MemorySpace S>
void stored_diagonal(Context<S>& ctx, const Ref& A, Span<T, S> d);

}  // namespace amgsolve::detail
