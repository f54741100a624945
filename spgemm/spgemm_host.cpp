#include "spgemm/host/gustavson.hpp"
#include "spgemm/product.hpp"

namespace amgsolve {

template <class T>
SpgemmProduct<T, Host> form_product(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                    const SpgemmOptions& options) {
  return multiply_gustavson(ctx, A, B, options);
}

template SpgemmProduct<float, Host> form_product(Context<Host>&, const CsrMatrix<float, Host>&,
                                                 const CsrMatrix<float, Host>&, const SpgemmOptions&);
template SpgemmProduct<double, Host> form_product(Context<Host>&, const CsrMatrix<double, Host>&,
                                                  const CsrMatrix<double, Host>&, const SpgemmOptions&);

}  // namespace amgsolve
