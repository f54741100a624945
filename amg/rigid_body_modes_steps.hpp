#pragma once

#include "core/context.hpp"
#include "spmv/blas1.hpp"
#include "spmv/multi_vector.hpp"

/// The steps of rigid_body_modes().
namespace amgsolve::detail {

/// A rotation in the plane of two axes: node i moves by −x_b along axis a and by x_a along axis b.
struct RotationAxes {
  Index a;
  Index b;
};

/// Plain values that kernels take as they are.
struct ModesShape {
  Index dimensions;
  Index block_size;
  Index rotations;
  RotationAxes axes[3];
  double unit;  ///< of lengths
};

/// centred_ij = x_ij − centre_j.
template <class T, MemorySpace S>
void subtract_centre(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, const double (&centre)[3],
                     Same<MultiVectorView<T, S>> centred);

/// Fills the modes of nodes at x.
template <class T, MemorySpace S>
void fill_modes(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, const ModesShape& shape,
                Same<MultiVectorView<T, S>> modes);

}  // namespace amgsolve::detail
