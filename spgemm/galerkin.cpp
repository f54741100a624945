#include "spgemm/galerkin.hpp"

#include "core/timer.hpp"

namespace amgsolve {

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
    coarse = multiply(ctx, R, AP, options);
  }
  if (statistics != nullptr) {
    ScopedTimer timer(ctx, "statistics");
    *statistics = {spgemm_statistics(ctx, A, P, AP), spgemm_statistics(ctx, R, AP, coarse)};
  }
  return coarse;
}

template CsrMatrix<float, Host> galerkin_product(Context<Host>&, const CsrMatrix<float, Host>&,
                                                 const CsrMatrix<float, Host>&, const CsrMatrix<float, Host>&,
                                                 const SpgemmOptions&, GalerkinStatistics*);
template CsrMatrix<double, Host> galerkin_product(Context<Host>&, const CsrMatrix<double, Host>&,
                                                  const CsrMatrix<double, Host>&, const CsrMatrix<double, Host>&,
                                                  const SpgemmOptions&, GalerkinStatistics*);
#if AMGSOLVE_HAVE_CUDA
template CsrMatrix<float, Cuda> galerkin_product(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                 const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&,
                                                 const SpgemmOptions&, GalerkinStatistics*);
template CsrMatrix<double, Cuda> galerkin_product(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                  const CsrMatrix<double, Cuda>&, const CsrMatrix<double, Cuda>&,
                                                  const SpgemmOptions&, GalerkinStatistics*);
#endif

}  // namespace amgsolve
