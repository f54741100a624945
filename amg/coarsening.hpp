#pragma once

#include <optional>

#include "amg/aggregation.hpp"
#include "amg/graph.hpp"
#include "amg/options.hpp"
#include "core/context.hpp"
#include "spgemm/galerkin.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// What a level hands to the next coarser one.
template <class T, MemorySpace S>
struct CoarseLevel {
  CsrMatrix<T, S> P;                             ///< the smoothed prolongator
  CsrMatrix<T, S> R;                             ///< Pᵀ
  CsrMatrix<T, S> A;                             ///< R A P
  std::optional<GalerkinStatistics> products{};  ///< where spgemm.statistics asks for them
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
  /// Phases: "tentative", "prolongator", "transpose", "galerkin product".
  CoarseLevel<T, S> form(Context<S>& ctx, const CsrMatrix<T, S>& A, double spectral_radius,
                         FatVector<T, S>& candidates) const;

 private:
  AmgOptions options_;
  Index block_size_;
  int level_;
  Graph<S> strong_;
  Aggregates<S> aggregates_;
};

}  // namespace amgsolve
