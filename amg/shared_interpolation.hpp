#pragma once

#include <optional>

#include "amg/aggregation.hpp"
#include "amg/density_limits.hpp"
#include "amg/options.hpp"
#include "amg/shared_tentative.hpp"
#include "dist/node_layout.hpp"
#include "dist/product.hpp"
#include "spgemm/options.hpp"

namespace amgsolve {

/// What Interpolator does, where ranks share the rows: forms the prolongator of a level and decides of it, to the same
/// bits on any number of ranks. All of it is collective.
template <class T, MemorySpace S>
class SharedInterpolator {
 public:
  /// @param A          over a window of whole nodes; it, `aggregates` and `tentative` must outlive this
  /// @param filtered   A_F as strong_couplings() makes it of the window; of no rows on all ranks where A is not
  /// filtered
  SharedInterpolator(Context<S>& ctx, const LocalMatrix<T, S>& A, Index block_size, const CsrMatrix<T, S>& filtered,
                     const SharedAggregates<S>& aggregates, SharedTentative<T, S>& tentative,
                     const DensityLimits& limits, const AmgOptions& options);

  /// @param rho  of A
  void form(double rho, int wanted_steps);

  /// That of the coarse matrix; where it is surely no more than wanted, what it is at most.
  double density();

  /// Forms what is not there yet of P's transpose and of P as A P takes it.
  void complete();

  LocalMatrix<T, S> P;
  LocalMatrix<T, S> R;
  std::optional<SecondFactor<T, S>> factor;
  int steps = 1;
  double truncation = 0.0;

 private:
  double radius_of_filtered();
  void smooth(int wanted);
  /// Those that nodes of the window are in.
  GhostRows<S> foreign_aggregates();
  void form_first(T damping);
  void truncate(double q);
  void leave(const CsrMatrix<T, S>& whole, double tolerance);
  void forget_what_is_made_of_P();

  Context<S>& ctx_;
  const LocalMatrix<T, S>& A_;
  const Layout<S>& layout_;
  Index block_size_;
  bool is_filtered_;
  CsrMatrix<T, S> smoothing_;  ///< what T is smoothed with
  Buffer<T, S> diagonal_;      ///< of it, where that is needed
  double rho_ = 0.0;           ///< of it
  const SharedAggregates<S>& aggregates_;
  SharedTentative<T, S>& tentative_;
  Index candidates_;
  DensityLimits limits_;
  const AmgOptions& options_;
  SpgemmOptions spgemm_ = options_.spgemm;  ///< with margins of P for A P
};

}  // namespace amgsolve
