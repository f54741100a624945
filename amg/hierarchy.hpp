#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "amg/coarse_solver.hpp"
#include "amg/options.hpp"
#include "amg/result.hpp"
#include "amg/smoother.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// How a level holds its matrix; the seam for a distributed one (diagonal block, off-diagonal block, halo).
template <class T, MemorySpace S>
using LevelMatrix = CsrMatrix<T, S>;

/// A smoothed-aggregation hierarchy (Vaněk, Mandel, Brezina 1996) and the multigrid cycle on it. Level 0 is the finest;
/// A_{l+1} = P_lᵀ A_l P_l.
template <class T, MemorySpace S>
class Hierarchy {
 public:
  struct Level {
    LevelMatrix<T, S> A;
    LevelMatrix<T, S> P;  ///< to this level from the next coarser; empty on the coarsest
    LevelMatrix<T, S> R;  ///< Pᵀ
    Smoother<T, S> smoother;
    LevelSummary summary;

    // Of the cycle, allocated for the number of right-hand sides at hand.
    FatVector<T, S> b;  ///< not on level 0, where it is the caller's
    FatVector<T, S> r;
    Iterate<T, S> iterate;
  };

  /// Coarsens A until coarse_size, max_levels, or until a level no longer shrinks by a tenth.
  /// @param near_nullspace  A.rows × k candidates
  /// Throws BreakdownError naming level and row where a diagonal entry is not positive.
  Hierarchy(Context<S>& ctx, LevelMatrix<T, S> A, FatView<const T, S> near_nullspace, const AmgOptions& options);

  /// One cycle for A x = b from x = 0, as a symmetric preconditioner; returns x, which stays the hierarchy's and holds
  /// until the next call.
  FatView<const T, S> cycle(Context<S>& ctx, FatView<const T, S> b);

  const std::vector<Level>& levels() const { return levels_; }
  HierarchySummary summary() const;

 private:
  /// Coarsens the last level; false where it cannot be coarsened further.
  /// @param candidates  of that level; replaced by the new level's
  /// @param block_size  unknowns per node of that level
  bool add_coarser_level(Context<S>& ctx, FatVector<T, S>& candidates, Index block_size);
  /// Makes the last level the coarsest: factored where it is small, else smoothed only.
  void finish_coarsest(Context<S>& ctx);
  /// The level's diagonal, checked.
  Buffer<T, S> diagonal(Context<S>& ctx, std::size_t level) const;
  void allocate_vectors(Context<S>& ctx, Index columns);
  void visit(Context<S>& ctx, std::size_t level, FatView<const T, S> b, bool from_zero);

  AmgOptions options_;
  std::vector<Level> levels_;
  std::optional<CoarseSolver<T, S>> coarse_solver_;
  Index columns_ = 0;  ///< right-hand sides that the levels' vectors have room for
};

}  // namespace amgsolve
