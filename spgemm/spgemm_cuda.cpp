#include "spgemm/esc_cuda.hpp"
#include "spgemm/esc_fused_cuda.hpp"
#include "spgemm/esc_global_cuda.hpp"
#include "spgemm/hash_cuda.hpp"
#include "spgemm/product.hpp"
#include "spgemm/spgemm_cusparse.hpp"
#include "spgemm/thin_cuda.hpp"

namespace amgsolve {

template <class T>
SpgemmProduct<T, Cuda> form_product(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                    const SpgemmOptions& options) {
  switch (options.algorithm) {
    case SpgemmAlgorithm::esc:
      return multiply_esc(ctx, A, B, options);
    case SpgemmAlgorithm::esc_global:
      return multiply_esc_global(ctx, A, B, options.slice_products);
    case SpgemmAlgorithm::esc_fused:
      return multiply_esc_fused(ctx, A, B, options);
    case SpgemmAlgorithm::thin:
      return multiply_thin(ctx, A, B);
    case SpgemmAlgorithm::cusparse:
      return multiply_cusparse(ctx, A, B);
    default:
      return multiply_hash(ctx, A, B);
  }
}

template SpgemmProduct<float, Cuda> form_product(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                 const CsrMatrix<float, Cuda>&, const SpgemmOptions&);
template SpgemmProduct<double, Cuda> form_product(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                  const CsrMatrix<double, Cuda>&, const SpgemmOptions&);

}  // namespace amgsolve
