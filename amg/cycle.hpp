#pragma once

#include <vector>

#include "amg/hierarchy.hpp"
#include "amg/reserved_columns.hpp"
#include "core/repeated_work.hpp"

namespace amgsolve {

/// Multigrid cycles on a hierarchy: smooth, restrict the residual, solve for it on the coarser level by a cycle there,
/// prolongate, smooth (Trottenberg, Oosterlee, Schüller 2001, section 2.4).
/// V visits each coarser level once; W twice, each time with a W-cycle; F with an F-cycle and then a V-cycle. V and W
/// are symmetric, as conjugate gradients want them; F is not quite, which flexible ones allow for.
/// K visits each coarser level twice, with K-cycles that precondition two steps of GCR there (Notay, Vassilevski 2008):
/// the corrections are scaled and combined so that their residual is the smallest, whatever the coarse matrix is. So it
/// depends on b and is for flexible methods alone. `automatic` counts as V.
///
/// Over-correction: a V-cycle solves a coarse problem from one side: the eigenvalues of M_c⁻¹ A_c lie in [1 − q, 1],
/// with q about 0.13 once there are several levels. Scaled by 2 / (2 − q), which is 1.07, they lie around 1, which
/// halves the error of each level's coarse correction for nothing (as Braess 1995 does for plain aggregation). On
/// smooth errors the factors multiply, and the cycle is positive definite while their product is below 2: levels so
/// deep that it would be more than 1.9 are not scaled, nor are corrections that are exact or were improved by a second
/// visit.
template <class T, MemorySpace S>
class Cycle {
 public:
  /// @param hierarchy  outlives the cycle
  Cycle(Context<S>& ctx, const Hierarchy<T, S>& hierarchy, const AmgOptions& options);

  /// One cycle for A x = b from x = 0; returns x, which stays the cycle's and holds until the next call. A device may
  /// repeat a recorded cycle where b lies where it lay before: see RepeatedWork.
  MultiVectorView<const T, S> apply(Context<S>& ctx, MultiVectorView<const T, S> b);

  /// Of the vectors on a level.
  std::size_t bytes(std::size_t level) const;

 private:
  struct Vectors {
    MultiVector<T, S> b;  ///< not on level 0, where it is the caller's
    MultiVector<T, S> r;  ///< like iterate.next not where the level is solved directly
    /// Of a K-cycle: the first correction, its product with A, and what of b it leaves.
    MultiVector<T, S> first;
    MultiVector<T, S> product;
    MultiVector<T, S> rest;
    MultiVector<T, S> restricted;  ///< this rank's rows of the next b, where each rank has that whole
    Buffer<double, S> scalars;
    Iterate<T, S> iterate;
  };

  void reserve(Context<S>& ctx, Index columns);
  bool is_exact(std::size_t level) const;
  /// work() on a level, and on all below; by every rank for itself where it has them whole.
  template <class Work>
  void on_level(Context<S>& ctx, std::size_t level, const Work& work);
  void visit(Context<S>& ctx, std::size_t level, CycleType type, MultiVectorView<const T, S> b, Start start);
  /// The right-hand side of the next coarser level.
  void restrict_residual(Context<S>& ctx, std::size_t level);
  /// Adds the correction of the next coarser level to x; also to what its margins hold of other ranks.
  void prolongate(Context<S>& ctx, std::size_t level, double scale);
  /// From zero, by two steps of GCR.
  void accelerate(Context<S>& ctx, std::size_t level, MultiVectorView<const T, S> b);
  void smooth(Context<S>& ctx, std::size_t level, Side side, MultiVectorView<const T, S> b, Start start);

  const Hierarchy<T, S>* hierarchy_;
  CycleType type_;
  int pre_sweeps_;
  int post_sweeps_;
  double over_correction_;
  std::vector<Vectors> vectors_;  ///< of each level, for the number of right-hand sides at hand
  ReservedColumns columns_;       ///< of all of them
  RepeatedWork<MultiVectorView<const T, S>, S> repeated_;
};

}  // namespace amgsolve
