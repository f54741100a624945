#include "spgemm/galerkin.hpp"

#include "core/instantiate.hpp"
#include "core/timer.hpp"

namespace amgsolve {

SpgemmOptions restricted(SpgemmOptions options) {
  options.nodes = options.nodes.restricted();
  return options;
}

template <class T, MemorySpace S>
GalerkinStatistics galerkin_statistics(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                                       const CsrMatrix<T, S>& P, const CsrMatrix<T, S>& AP,
                                       const CsrMatrix<T, S>& coarse) {
  ScopedTimer timer(ctx, "statistics");
  return {spgemm_statistics(ctx, A, P, AP), spgemm_statistics(ctx, R, AP, coarse)};
}

template <class T, MemorySpace S>
CsrMatrix<T, S> galerkin_product(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                                 const CsrMatrix<T, S>& P, const SpgemmOptions& options,
                                 GalerkinStatistics* statistics) {
  CsrMatrix<T, S> AP;
  {
    ScopedTimer timer(ctx, "multiply AP");
    AP = multiply(ctx, A, P, options);
  }
  CsrMatrix<T, S> coarse;
  {
    ScopedTimer timer(ctx, "multiply R(AP)");
    coarse = multiply(ctx, R, AP, restricted(options));
  }
  if (statistics != nullptr) {
    *statistics = galerkin_statistics(ctx, R, A, P, AP, coarse);
  }
  return coarse;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                             \
  template GalerkinStatistics galerkin_statistics(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                                                  const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,              \
                                                  const CsrMatrix<T, S>&);                                     \
  template CsrMatrix<T, S> galerkin_product(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,       \
                                            const CsrMatrix<T, S>&, const SpgemmOptions&, GalerkinStatistics*);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
