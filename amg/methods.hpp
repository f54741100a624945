#pragma once

#include <memory>

#include "amg/iterative_method.hpp"
#include "amg/preconditioner.hpp"

namespace amgsolve {

/// The method of that name for A, which with the preconditioner outlives it. Method::automatic stands for cg.
/// @param columns      of b
/// @param restart      of gmres and fgmres
/// @param rows_differ  see differ_in_size(); of an A that is stored
template <class T, MemorySpace S>
std::unique_ptr<IterativeMethod<T, S>> make_method(Context<S>& ctx, const Operator<T, S>& A,
                                                   Preconditioner<T, S>& preconditioner, Index columns, Method method,
                                                   int restart, bool rows_differ = false);

}  // namespace amgsolve
