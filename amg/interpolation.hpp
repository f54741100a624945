#pragma once

#include "amg/options.hpp"
#include "amg/tentative.hpp"

namespace amgsolve {

/// What was chosen for the prolongator of a level.
struct InterpolationChoices {
  int steps = 1;            ///< smoothing steps
  double truncation = 0.0;  ///< entries of P below this times the largest of their row were dropped; 0: none
};

/// The prolongator of a level.
template <class T, MemorySpace S>
struct Interpolation {
  CsrMatrix<T, S> P;
  CsrMatrix<T, S> R;  ///< Pᵀ where the choices took it, else empty
  InterpolationChoices choices;
};

/// The operands of interpolate().
template <class T, MemorySpace S>
struct InterpolationOperands {
  const CsrMatrix<T, S>& A;
  const CsrMatrix<T, S>& filtered;  ///< A_F; empty where that is A
  const Aggregates<S>& aggregates;
  const Tentative<T, S>& tentative;
  Span<const T, S> diagonal;  ///< of A
  double spectral_radius;     ///< of D⁻¹A
  Index block_size = 1;
};

/// The prolongator of a level, P = S T or S₂ S₁ T with S = I − ω D_F⁻¹A_F and ω in units of 1 / ρ(D_F⁻¹A_F).
///
/// One step has the damping of the options. Where couplings have a direction, aggregates lie along lines, and one step
/// leaves their ends uncovered: two steps with the roots of the Chebyshev polynomial on [0.4, 1] cover them at the
/// price of a wider stencil. Where the coarse matrix, by estimate_density(), has more than density_limit of A's
/// entries, one step is taken instead of two; where it still has, the small entries of P are dropped, the more the
/// denser it is; that is done for a single candidate only. Without filtering P is taken as it is.
/// @param steps  1 or 2
template <class T, MemorySpace S>
Interpolation<T, S> interpolate(Context<S>& ctx, const InterpolationOperands<T, S>& operands, int steps,
                                const AmgOptions& options);

}  // namespace amgsolve
