#pragma once

#include "amg/hierarchy.hpp"

namespace amgsolve {

/// One multigrid cycle on a hierarchy in M as the preconditioner of a method in T.
template <class T, class M, MemorySpace S>
class AmgPreconditioner {
 public:
  explicit AmgPreconditioner(Hierarchy<M, S>& hierarchy) : hierarchy_(&hierarchy) {}

  /// z ≈ A⁻¹ r; holds until the next call.
  FatView<const T, S> apply(Context<S>& ctx, FatView<const T, S> r);

 private:
  Hierarchy<M, S>* hierarchy_;
  FatVector<M, S> r_;  ///< r and z in the other precision; empty where T is M
  FatVector<T, S> z_;
};

}  // namespace amgsolve
