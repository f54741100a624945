#pragma once

#include "spgemm/galerkin.hpp"
#include "spgemm/plan.hpp"

namespace amgsolve {

/// The patterns of A P and of the Galerkin product A_c = R (A P), formed once, for new values of R, A and P. Times
/// "multiply AP" and "multiply R(AP)" in ctx.profile(), as galerkin_product() does, whose bits the results have. Throws
/// what SpgemmPlan throws.
template <class T, MemorySpace S>
class GalerkinPlan {
 public:
  /// @param options  its nodes are those of A P
  GalerkinPlan(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P,
               const SpgemmOptions& options = {});

  /// A_c for new values, over the plan's own pattern, which is borrowed: only values are allocated, and those of A P
  /// meanwhile. The plan must outlive A_c.
  /// @param statistics  receives them; may be null
  CsrMatrix<T, S> multiply(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                           const CsrMatrix<T, S>& P, GalerkinStatistics* statistics = nullptr) const;

  /// What the plan holds: the patterns of A P and A_c, of A P without the columns where neither product reads them.
  std::size_t bytes() const { return AP_.bytes() + RAP_.bytes(); }

 private:
  CsrMatrix<T, S> multiply_AP(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P) const;

  SpgemmPlan<T, S> AP_;
  SpgemmPlan<T, S> RAP_;
};

}  // namespace amgsolve
