#pragma once

#include "spmv/storages.hpp"

namespace amgsolve::detail {

/// d_i = a_ii, 0 where none is stored. A row is the work of one thread.
template <class Ref, class T>
void stored_diagonal(Context<Host>& ctx, const Ref& A, Span<T, Host> d);
template <class Ref, class T>
void stored_diagonal(Context<Cuda>& ctx, const Ref& A, Span<T, Cuda> d);

}  // namespace amgsolve::detail
