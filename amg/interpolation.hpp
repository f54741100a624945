#pragma once

#include <algorithm>
#include <optional>

#include "amg/density_limits.hpp"
#include "amg/graph.hpp"
#include "amg/options.hpp"
#include "amg/spectral_radius.hpp"
#include "amg/tentative.hpp"
#include "spgemm/plan.hpp"

namespace amgsolve {

/// What was chosen for the prolongator of a level.
struct InterpolationChoices {
  int steps = 1;            ///< smoothing steps
  double truncation = 0.0;  ///< τ of truncate_prolongator(); 0: none
  Offset entries = 0;       ///< most at a time of P and of matrices that it was formed from, A apart
};

/// The prolongator of a level.
template <class T, MemorySpace S>
struct Interpolation {
  CsrMatrix<T, S> P;
  InterpolationChoices choices;
};

/// What a level's prolongator is formed from.
template <class T, MemorySpace S>
struct InterpolationOperands {
  const CsrMatrix<T, S>& A;
  Span<const T, S> diagonal;  ///< of A
  double spectral_radius;     ///< of D⁻¹A
  const Aggregates<S>& aggregates;
  Index block_size;  ///< unknowns a node
  const Tentative<T, S>& tentative;
  const Graph<S>* strong;  ///< what a step filters A by as it goes; null: by nothing
};

/// Forms the prolongator of a level, P = S T or S₂ S₁ T with S = I − ω D_F⁻¹A_F and ω in units of 1 / ρ(D_F⁻¹A_F), and
/// again for new values of A, for which it keeps patterns where it is told to.
///
/// One step has the damping of the options. Where couplings have a direction, aggregates lie along lines, and one step
/// leaves their ends uncovered: two steps with the roots of the Chebyshev polynomial on [0.4, 1] cover them at the
/// price of a wider stencil. Where the coarse matrix, by estimate_density(), is denser than wanted, one step is taken
/// instead of two; where it still is, the small entries of P are dropped, the more the denser it is, and all but the
/// largest where that leaves it twice as dense as density_limit; that is done for a single candidate, and for as many
/// as a node has unknowns: coarse matrices have whole blocks then, and A's count as whole ones, too. A coarse matrix is
/// wanted to have no more than density_limit of A's entries, and fewer, down to 0.6 of that, where all levels together
/// would else have more than 1 + 1.6 density_limit times the finest's, or 1 + 1.8 where couplings are uneven.
template <class T, MemorySpace S>
class Interpolator {
 public:
  /// @param filtered     A_F; empty where that is A
  /// @param kept_blocks  see Couplings
  /// @param steps        1 or 2
  /// @param limits       of the coarse matrix
  /// @param keeps        whether update() is to be called; P may then borrow its pattern from here
  Interpolation<T, S> form(Context<S>& ctx, const InterpolationOperands<T, S>& operands, CsrMatrix<T, S> filtered,
                           CsrMatrix<T, S> kept_blocks, int steps, const DensityLimits& limits,
                           const AmgOptions& options, bool keeps);

  /// P for new values of A, with what was chosen, and dropped, for the old ones: its pattern is that of form(), from
  /// which it is borrowed, and so are its bits where the values are, if spgemm.algorithm sums in order. All else of the
  /// operands is as it was.
  /// @param near_nullspace  the candidates by which the dropped entries of A are lumped
  CsrMatrix<T, S> update(Context<S>& ctx, const InterpolationOperands<T, S>& operands,
                         MultiVectorView<const T, S> near_nullspace, const AmgOptions& options);

 private:
  struct Smoothing;  // the matrix that T is smoothed with
  Smoothing smoothing_with(Context<S>& ctx, const CsrMatrix<T, S>& filtered,
                           const InterpolationOperands<T, S>& operands, const AmgOptions& options, bool keeps);
  CsrMatrix<T, S> smooth(Context<S>& ctx, const InterpolationOperands<T, S>& operands, const Smoothing& with, int steps,
                         const AmgOptions& options, bool keeps);
  CsrMatrix<T, S> truncate(Context<S>& ctx, const InterpolationOperands<T, S>& operands, CsrMatrix<T, S> P,
                           double density, const DensityLimits& limits);
  void count(Offset entries) { choices_.entries = std::max(choices_.entries, entries); }

  CsrMatrix<T, S> kept_;  ///< the pattern of A_F, or of its blocks where it is filtered in blocks; empty where it is A
  RadiusEstimate<T, S> radius_;
  InterpolationChoices choices_;
  CsrMatrix<T, S> smoothed_;                 ///< the pattern of S₁ T
  std::optional<SpgemmPlan<T, S>> product_;  ///< of S₂ and that, where two steps are taken
  CsrMatrix<T, S> truncated_;                ///< the pattern of P where it is
};

}  // namespace amgsolve
