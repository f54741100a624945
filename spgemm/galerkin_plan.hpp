#pragma once

#include <optional>

#include "spgemm/galerkin.hpp"
#include "spgemm/plan.hpp"

namespace amgsolve {

/// The patterns of A P and of the Galerkin product A_c = R (A P), formed once, for new values of R, A and P. Times
/// "multiply AP" and "multiply R(AP)" in ctx.profile(), as galerkin_product() does, whose bits the results have. Throws
/// what SpgemmPlan throws.
template <class T, MemorySpace S>
class GalerkinPlan {
 public:
  /// Forms the product once, as galerkin_product() does.
  /// @param options     its nodes are those of A P
  /// @param coarse      receives A_c as multiply() gives it; may be null
  /// @param statistics  receives them; may be null
  GalerkinPlan(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P,
               const SpgemmOptions& options = {}, CsrMatrix<T, S>* coarse = nullptr,
               GalerkinStatistics* statistics = nullptr);

  /// A_c for new values, over the plan's own pattern, which is borrowed: only values are allocated, and those of A P
  /// meanwhile. The plan must outlive A_c.
  CsrMatrix<T, S> multiply(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                           const CsrMatrix<T, S>& P) const;

  /// What the plan holds: the patterns of A P and A_c, of A P without the columns where neither product reads them.
  std::size_t bytes() const { return AP_->bytes() + RAP_->bytes(); }

 private:
  std::optional<SpgemmPlan<T, S>> AP_;  ///< both are there once the plan is made
  std::optional<SpgemmPlan<T, S>> RAP_;
};

}  // namespace amgsolve
