#pragma once

#include "core/context.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// An approximation M of a matrix A whose inverse is cheap to apply.
template <class T, MemorySpace S>
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  /// z = M⁻¹ r; z stays the preconditioner's and holds until the next call.
  virtual FatView<const T, S> apply(Context<S>& ctx, FatView<const T, S> r) = 0;
};

}  // namespace amgsolve
