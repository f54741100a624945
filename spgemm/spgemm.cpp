#include "spgemm/spgemm.hpp"

#include <utility>

#include "spgemm/check_product.hpp"
#include "spgemm/product.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> multiply(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                         const SpgemmOptions& options) {
  check_product(A, B, options.algorithm);
  SpgemmProduct<T, S> product = form_product(ctx, A, B, options);
  ctx.profile().add({static_cast<std::int64_t>(A.bytes() + B.bytes() + product.C.bytes()), 2 * product.products});
  return std::move(product.C);
}

template CsrMatrix<float, Host> multiply(Context<Host>&, const CsrMatrix<float, Host>&, const CsrMatrix<float, Host>&,
                                         const SpgemmOptions&);
template CsrMatrix<double, Host> multiply(Context<Host>&, const CsrMatrix<double, Host>&,
                                          const CsrMatrix<double, Host>&, const SpgemmOptions&);
#if AMGSOLVE_HAVE_CUDA
template CsrMatrix<float, Cuda> multiply(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&,
                                         const SpgemmOptions&);
template CsrMatrix<double, Cuda> multiply(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                          const CsrMatrix<double, Cuda>&, const SpgemmOptions&);
#endif

}  // namespace amgsolve
