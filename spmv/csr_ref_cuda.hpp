#pragma once

#include "spmv/csr_ref.hpp"

namespace amgsolve {

template <class T>
CsrRef<T> csr_ref(const CsrMatrix<T, Cuda>& A) {
  return ref_of(A);
}

}  // namespace amgsolve
