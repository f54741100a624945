#include "spgemm/galerkin_plan.hpp"

#include <utility>

#include "core/instantiate.hpp"
#include "core/timer.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
GalerkinPlan<T, S>::GalerkinPlan(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                                 const CsrMatrix<T, S>& P, const SpgemmOptions& options, CsrMatrix<T, S>* coarse,
                                 GalerkinStatistics* statistics) {
  expect_fixed_pattern(options);
  CsrMatrix<T, S> AP;
  CsrMatrix<T, S> RAP = galerkin_product(ctx, R, A, P, options, statistics, &AP);
  RAP_.emplace(ctx, R, AP, options, RAP);
  AP.values = {};  // before more memory is asked for
  AP_.emplace(ctx, A, P, options, AP);
  if (!AP_->reads_columns() && !RAP_->reads_columns()) {
    AP_->give_up_columns();
  }
  if (coarse != nullptr) {
    *coarse = std::move(RAP);
  }
}

template <class T, MemorySpace S>
CsrMatrix<T, S> GalerkinPlan<T, S>::multiply(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                                             const CsrMatrix<T, S>& P) const {
  CsrMatrix<T, S> AP;
  {
    ScopedTimer timer(ctx, "multiply AP");
    AP = AP_->multiply(ctx, A, P);
  }
  ScopedTimer timer(ctx, "multiply R(AP)");
  return RAP_->multiply(ctx, R, AP);
}

#define AMGSOLVE_INSTANTIATE(T, S) template class GalerkinPlan<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
