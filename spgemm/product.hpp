#pragma once

#include "spgemm/spgemm.hpp"

/// What the algorithms of a sparse product give to multiply().
namespace amgsolve {

/// C = A B, and the number of products a_ik b_kj that were summed.
template <class T, MemorySpace S>
struct SpgemmProduct {
  CsrMatrix<T, S> C;
  Offset products = 0;
};

/// The product by the algorithm of the options, for operands that have been checked.
template <class T>
SpgemmProduct<T, Host> form_product(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                    const SpgemmOptions& options);
template <class T>
SpgemmProduct<T, Cuda> form_product(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                    const SpgemmOptions& options);

}  // namespace amgsolve
