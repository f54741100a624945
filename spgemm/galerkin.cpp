#include "spgemm/galerkin.hpp"

#include <utility>

#include "core/instantiate.hpp"
#include "core/timer.hpp"

namespace amgsolve {
namespace {

/// The options of R (A P), for those of A P.
SpgemmOptions restricted(SpgemmOptions options) {
  options.nodes = options.nodes.restricted();
  return options;
}

}  // namespace

template <class T, MemorySpace S>
CsrMatrix<T, S> galerkin_product(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A,
                                 const CsrMatrix<T, S>& P, const SpgemmOptions& options, GalerkinStatistics* statistics,
                                 CsrMatrix<T, S>* AP_kept) {
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
    ScopedTimer timer(ctx, "statistics");
    *statistics = {spgemm_statistics(ctx, A, P, AP), spgemm_statistics(ctx, R, AP, coarse)};
  }
  if (AP_kept != nullptr) {
    *AP_kept = std::move(AP);
  }
  return coarse;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                             \
  template CsrMatrix<T, S> galerkin_product(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,       \
                                            const CsrMatrix<T, S>&, const SpgemmOptions&, GalerkinStatistics*, \
                                            CsrMatrix<T, S>*);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
