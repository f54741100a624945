#pragma once

#include "core/context.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// An approximation M of a matrix A whose inverse is cheap to apply.
template <class T, MemorySpace S>
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  /// z = M⁻¹ r; z stays the preconditioner's and holds until the next call.
  virtual MultiVectorView<const T, S> apply(Context<S>& ctx, MultiVectorView<const T, S> r) = 0;
};

}  // namespace amgsolve
