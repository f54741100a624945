#include <utility>

#include "spgemm/check_product.hpp"
#include "spgemm/esc_global_cuda.hpp"
#include "spgemm/hash_cuda.hpp"
#include "spgemm/spgemm_cusparse.hpp"

namespace amgsolve {
namespace {

template <class T>
SpgemmProduct<T> multiply_by(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                             const SpgemmOptions& options) {
  switch (options.algorithm) {
    case SpgemmAlgorithm::esc_global:
      return multiply_esc_global(ctx, A, B, options.slice_products);
    case SpgemmAlgorithm::cusparse:
      return multiply_cusparse(ctx, A, B);
    default:
      return multiply_hash(ctx, A, B);
  }
}

}  // namespace

template <class T>
CsrMatrix<T, Cuda> multiply(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                            const SpgemmOptions& options) {
  check_product(A, B, options.algorithm);
  SpgemmProduct<T> product = multiply_by(ctx, A, B, options);
  ctx.profile().add({static_cast<std::int64_t>(A.bytes() + B.bytes() + product.C.bytes()), 2 * product.products});
  return std::move(product.C);
}

template CsrMatrix<float, Cuda> multiply(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&,
                                         const SpgemmOptions&);
template CsrMatrix<double, Cuda> multiply(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                          const CsrMatrix<double, Cuda>&, const SpgemmOptions&);

}  // namespace amgsolve
