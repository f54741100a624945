#pragma once

#include <optional>

#include "amg/aggregation.hpp"
#include "amg/graph.hpp"
#include "amg/options.hpp"
#include "amg/tentative.hpp"
#include "core/context.hpp"
#include "spgemm/galerkin.hpp"
#include "spgemm/galerkin_plan.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"
#include "spmv/transpose_plan.hpp"

namespace amgsolve {

/// What a level hands to the next coarser one.
template <class T, MemorySpace S>
struct CoarseLevel {
  CsrMatrix<T, S> P;                             ///< the smoothed prolongator
  CsrMatrix<T, S> R;                             ///< Pᵀ
  CsrMatrix<T, S> A;                             ///< R A P
  std::optional<GalerkinStatistics> products{};  ///< where spgemm.statistics asks for them and no patterns are kept
};

/// The step from a level to the next coarser one (Vaněk, Mandel, Brezina 1996): strength of connection, aggregation,
/// tentative prolongator T, and from these P = (I − ω D⁻¹A) T, R = Pᵀ, R A P.
///
/// Passes of aggregation: more than one makes aggregates of 8 to 10 nodes in 2D instead of 14, and of 16 to 20 in 3D
/// instead of 33: small enough that a V-cycle's iterations do not grow with the levels. What the hierarchy costs is
/// decided on the finest level, whose stencil and aggregates are the smallest anyway; further down the third pass is as
/// good as free.
template <class T, MemorySpace S>
class Coarsening {
 public:
  /// Decides what depends on the pattern of strong connections alone: aggregates, each with its nodes.
  /// @param diagonal    of A
  /// @param block_size  unknowns per node
  /// @param level       of A
  /// Phases: "strength", "aggregation".
  Coarsening(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal, Index block_size, int level,
             const AmgOptions& options);

  Index aggregates() const { return aggregates_.count; }
  double mean_aggregate_size() const;  ///< nodes

  /// Whether a coarse level for that many candidates would keep more than coarsening_stall_ratio of the rows.
  bool stalls(Index candidates) const;

  /// Forms the coarse level.
  /// @param spectral_radius  ρ(D⁻¹A)
  /// @param candidates       of A's level; replaced by the coarse level's
  /// @param keep_patterns    for update(): keeps T, the patterns and the plans of products; P, R and the coarse matrix
  ///                         then borrow their patterns from here
  /// Phases: "tentative", "prolongator", "transpose", "galerkin product".
  CoarseLevel<T, S> form(Context<S>& ctx, const CsrMatrix<T, S>& A, double spectral_radius, FatVector<T, S>& candidates,
                         bool keep_patterns);

  /// The coarse level for new values of A, in the same pattern. Aggregates and T stay. Bits, cost and memory: where A
  /// has the values that it had in form(), the result has those bits; the products take their numeric part alone, and
  /// only values are allocated. After form() with keep_patterns.
  CoarseLevel<T, S> update(Context<S>& ctx, const CsrMatrix<T, S>& A, double spectral_radius) const;

 private:
  /// What new values need of the old ones.
  struct Patterns {
    Tentative<T, S> tentative;  ///< without the candidates
    CsrMatrix<T, S> P;          ///< without values
    TransposePlan<T, S> transpose;
    GalerkinPlan<T, S> galerkin;
  };

  /// The rest of form() where patterns are kept.
  CoarseLevel<T, S> keep(Context<S>& ctx, const CsrMatrix<T, S>& A, Tentative<T, S> tentative, CsrMatrix<T, S> P);
  T damping(double spectral_radius) const;
  const Graph<S>* filter() const { return options_.filter_prolongator ? &strong_ : nullptr; }

  AmgOptions options_;
  Index block_size_;
  int level_;
  Graph<S> strong_;  ///< empty where the prolongator is not filtered
  Aggregates<S> aggregates_;
  std::optional<Patterns> patterns_;
};

}  // namespace amgsolve
