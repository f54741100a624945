#include <utility>

#include "spgemm/hash/hash.hpp"
#include "spgemm/hash/hash_one_pass.hpp"
#include "spgemm/hash/hash_two_pass.hpp"

namespace amgsolve {

template <class T>
SpgemmProduct<T, Cuda> multiply_hash(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                     const SpgemmOptions& options) {
  auto product = hash_in_one_pass(ctx, A, B, estimate_row_sizes(ctx, A, B), options.margins);
  return product ? std::move(*product) : hash_in_two_passes(ctx, A, B);
}

template SpgemmProduct<float, Cuda> multiply_hash(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                  const CsrMatrix<float, Cuda>&, const SpgemmOptions&);
template SpgemmProduct<double, Cuda> multiply_hash(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                   const CsrMatrix<double, Cuda>&, const SpgemmOptions&);

}  // namespace amgsolve
