#include "spgemm/galerkin_plan.hpp"

#include "core/instantiate.hpp"
#include "core/timer.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
GalerkinPlan<T, S>::GalerkinPlan(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                                 const CsrMatrix<T, S>& P, const SpgemmOptions& options)
    : AP_(ctx, A, P, options), RAP_(ctx, R, multiply_AP(ctx, A, P), restricted(options)) {
  if (!AP_.reads_columns() && !RAP_.reads_columns()) {
    AP_.give_up_columns();
  }
}

template <class T, MemorySpace S>
CsrMatrix<T, S> GalerkinPlan<T, S>::multiply(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                                             const CsrMatrix<T, S>& P, GalerkinStatistics* statistics) const {
  const CsrMatrix<T, S> AP = multiply_AP(ctx, A, P);
  CsrMatrix<T, S> coarse;
  {
    ScopedTimer timer(ctx, "multiply R(AP)");
    coarse = RAP_.multiply(ctx, R, AP);
  }
  if (statistics != nullptr) {
    *statistics = galerkin_statistics(ctx, R, A, P, AP, coarse);
  }
  return coarse;
}

template <class T, MemorySpace S>
CsrMatrix<T, S> GalerkinPlan<T, S>::multiply_AP(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                const CsrMatrix<T, S>& P) const {
  ScopedTimer timer(ctx, "multiply AP");
  return AP_.multiply(ctx, A, P);
}

#define AMGSOLVE_INSTANTIATE(T, S) template class GalerkinPlan<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
