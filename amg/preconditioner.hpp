#pragma once

#include <type_traits>
#include <variant>

#include "core/context.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// Vectors in T, or in float where that is how they were formed.
template <class T, MemorySpace S>
using FormedVectors = std::conditional_t<std::is_same_v<T, float>, std::variant<MultiVectorView<const float, S>>,
                                         std::variant<MultiVectorView<const T, S>, MultiVectorView<const float, S>>>;

/// An approximation M of a matrix A whose inverse is cheap to apply.
template <class T, MemorySpace S>
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  /// z = M⁻¹ r; z stays the preconditioner's and holds until the next call.
  virtual MultiVectorView<const T, S> apply(Context<S>& ctx, MultiVectorView<const T, S> r) = 0;

  /// The same as it is formed, which spares a pass: maybe in float, and times a positive number, always the same one,
  /// which means nothing to conjugate gradients.
  /// @param is_rounded  rounded() has r already
  virtual FormedVectors<T, S> apply_up_to_scale(Context<S>& ctx, MultiVectorView<const T, S> r, bool /*is_rounded*/) {
    return apply(ctx, r);
  }

  /// Room for r in float, where apply_up_to_scale() rounds it first: who forms r may round it there, which spares a
  /// pass. Empty where it does not. Holds until the next call with another number of columns. Collective.
  virtual MultiVectorView<float, S> rounded(Context<S>& /*ctx*/, MultiVectorView<const T, S> /*r*/) { return {}; }
};

}  // namespace amgsolve
