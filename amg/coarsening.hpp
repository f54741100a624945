#pragma once

#include <optional>
#include <utility>

#include "amg/aggregation.hpp"
#include "amg/coarsening_choices.hpp"
#include "amg/interpolation.hpp"
#include "amg/level_couplings.hpp"
#include "amg/options.hpp"
#include "amg/tentative.hpp"
#include "core/context.hpp"
#include "spgemm/galerkin.hpp"
#include "spgemm/galerkin_plan.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/transpose_plan.hpp"

namespace amgsolve {

/// What a level hands to the next coarser one.
template <class T, MemorySpace S>
struct CoarseLevel {
  CsrMatrix<T, S> P;  ///< the smoothed prolongator
  CsrMatrix<T, S> R;  ///< Pᵀ diag(y)
  CsrMatrix<T, S> A;  ///< R A P
  InterpolationChoices choices;
  std::optional<GalerkinStatistics> products{};  ///< where spgemm.statistics asks for them and no patterns are kept
};

/// A level's prolongator, and the tentative one that it was made of.
template <class T, MemorySpace S>
struct LevelInterpolation {
  Tentative<T, S> tentative;
  Interpolation<T, S> smoothed;
};

/// The step from a level to the next coarser one (Vaněk, Mandel, Brezina 1996): strength of connection, aggregation,
/// tentative prolongator T, and from these P = (I − ω D⁻¹A) T, R = Pᵀ diag(y), R A P; y = 1 where A is symmetric.
///
/// Strength: signed couplings relative to the largest of their rows, with A filtered, where there are as many
/// candidates as unknowns a node; see couplings.hpp and block_couplings.hpp. By what the filter of θ = 0.35 does,
/// couplings are
/// - directed where it drops more than a tenth of the rows' weight: anisotropic problems lie above, isotropic ones on
///   unstructured meshes or with jumping coefficients below. On the finest level θ is 0.6 then, so that a coupling
///   across the direction seldom passes at any angle, and 0.38 below; P may be smoothed by two steps on every level
///   down to the first whose couplings are not directed, but by one where the finest level has more candidates than
///   unknowns a node, as of bodies that turn: that takes fewer iterations, and less of a setup;
/// - uneven where it keeps two fifths of the weak ones on one side alone, and more, as where coefficients jump or are
///   random. θ is 0.5 then, and 0.45 below, so that what is joined is joined strongly; and nodes with most neighbours
///   become roots first, which makes up for the smaller aggregates that fewer neighbours give. One unknown a node
///   alone;
/// - a network's where it keeps a fifth to a third of them on one side: nodes become roots likewise, θ is 0.45, and 0.3
///   below, where rows are long and larger aggregates leave fewer of them;
/// - else plain.
/// Fewer candidates have the symmetric measure with θ = 0.02 and no
/// filter; so have levels where the signed one finds less than a quarter of a neighbour a node, as where most couplings
/// are positive.
///
/// Of several unknowns or candidates a node the filter, which is exact for the first candidates alone, is left out
/// where it drops no more than 0.3 of the rows' weight; so few couplings have no direction then.
///
/// For an A that is not symmetric strength and P are those of S + Sᵀ with S = diag(y) A, which is what the model matrix
/// M below then is: aggregation needs a symmetric graph, and the estimate of the damping real eigenvalues. Scales y
/// that balance A, see balancing_scales(), are found where nodes have one unknown and one candidate. Otherwise M is A
/// itself.
///
/// Nodes of rows that are dense beside the others are aggregates of their own; see hubs.hpp.
///
/// Passes of aggregation: more than one makes aggregates of 8 to 10 nodes in 2D instead of 14, and of 16 to 20 in 3D
/// instead of 33: small enough that a V-cycle's iterations do not grow with the levels. What the hierarchy costs is
/// decided on the finest level, whose stencil and aggregates are the smallest anyway; further down the third pass is as
/// good as free. Where the nodes of the finest level have several unknowns and no more candidates than those,
/// aggregates of more than 14 nodes are formed anew by the passes of the next level, which costs little: coarse nodes
/// have no more unknowns than the fine ones. Where they have more, as with six modes of three unknowns, and the coarse
/// matrix would have more than density_limit of A's entries and more rows than direct_solve_limit, as of tetrahedra,
/// they are formed anew by the symmetric measure, twice as large and more; but for small ones that follow a direction.
template <class T, MemorySpace S>
class Coarsening {
 public:
  /// Decides what depends on the pattern of strong connections alone: aggregates, each with its nodes.
  /// @param M               the model of A
  /// @param diagonal        of M
  /// @param near_nullspace  candidates of A's level
  /// @param block_size      unknowns per node
  /// @param finer           what A's level is told of those above it
  /// Phases: "strength", "aggregation".
  Coarsening(Context<S>& ctx, const CsrMatrix<T, S>& M, Span<const T, S> diagonal,
             MultiVectorView<const T, S> near_nullspace, Index block_size, const FinerLevels& finer,
             const AmgOptions& options);

  CouplingKind kind() const { return found_.kind; }
  double strength_threshold() const { return found_.couplings.threshold; }   ///< θ
  double dropped_weight() const { return found_.couplings.dropped_weight; }  ///< by the filter

  /// Those of A's level, after form() that kept patterns.
  MultiVectorView<const T, S> candidates() const { return patterns_->near_nullspace.view(); }

  Index aggregates() const { return aggregates_.count; }
  double mean_aggregate_size() const;                                                    ///< nodes
  Span<const Index, S> aggregate_of_node() const { return aggregates_.of_node.span(); }  ///< or Aggregates::none

  /// Whether a coarse level for that many candidates would keep more than coarsening_stall_ratio of the rows.
  bool stalls(Index candidates) const;

  /// The prolongator, once for a matrix: what depends on its values is chosen then.
  /// @param M                the model of A
  /// @param diagonal         of M
  /// @param spectral_radius  ρ(D⁻¹M)
  /// @param candidates       of A's level
  /// @param keeps_patterns   whether update() is to be called; P may then borrow its own from here
  /// Phases: "tentative", "prolongator".
  LevelInterpolation<T, S> interpolate(Context<S>& ctx, const CsrMatrix<T, S>& M, Span<const T, S> diagonal,
                                       double spectral_radius, MultiVectorView<const T, S> candidates,
                                       bool keeps_patterns);

  /// Forms the coarse level by it.
  /// @param candidates       of A's level; replaced by the coarse level's
  /// @param keeps_patterns   as before; P, R and the coarse matrix then borrow theirs from here
  /// @param row_scales       y; none: 1
  /// Phases: "transpose", "galerkin product".
  CoarseLevel<T, S> form(Context<S>& ctx, const CsrMatrix<T, S>& A, LevelInterpolation<T, S> interpolation,
                         MultiVector<T, S>& candidates, bool keeps_patterns, Span<const T, S> row_scales = {});
  /// Both.
  CoarseLevel<T, S> form(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& M, Span<const T, S> diagonal,
                         double spectral_radius, MultiVector<T, S>& candidates, bool keeps_patterns) {
    const MultiVectorView<const T, S> view = std::as_const(candidates).view();
    return form(ctx, A, interpolate(ctx, M, diagonal, spectral_radius, view, keeps_patterns), candidates,
                keeps_patterns);
  }

  /// The coarse level for new values of A: aggregates and T stay, and so does what filter, guard and truncation
  /// dropped. The products take their numeric part alone, and only values are allocated. Where A is the matrix of
  /// form(), the result has those bits, if spgemm.algorithm sums in order. After form() that kept patterns.
  CoarseLevel<T, S> update(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& M,
                           Span<const T, S> diagonal, double spectral_radius, Span<const T, S> row_scales = {});

 private:
  /// What new values need of the old ones.
  struct Patterns {
    MultiVector<T, S> near_nullspace;
    Tentative<T, S> tentative;
    TransposePlan<T, S> transpose;
    GalerkinPlan<T, S> galerkin;
  };

  bool is_too_dense(Context<S>& ctx, const CsrMatrix<T, S>& M, const CsrMatrix<T, S>& P, Index candidates) const;
  InterpolationOperands<T, S> operands(const CsrMatrix<T, S>& M, Span<const T, S> diagonal, double spectral_radius,
                                       const Tentative<T, S>& tentative) const;
  /// What the prolongator of the symmetric measure is filtered by.
  const Graph<S>* filter() const { return !found_.is_signed && found_.filters ? &found_.couplings.strong : nullptr; }

  AmgOptions options_;
  Index block_size_;
  int level_;
  LevelEntries entries_;
  Buffer<Index, S> hubs_;
  CsrMatrix<T, S> rest_;        ///< of M without its hubs, where it has any; until form()
  LevelCouplings<T, S> found_;  ///< the graph only where it filters
  Aggregates<S> aggregates_;
  Interpolator<T, S> interpolator_;
  std::optional<Patterns> patterns_;
};

}  // namespace amgsolve
