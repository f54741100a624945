#pragma once

#include "spmv/csr_matrix.hpp"

/// What the device's algorithms of a sparse product share.
namespace amgsolve {

/// C = A B, and the number of products a_ik b_kj that were summed.
template <class T>
struct SpgemmProduct {
  CsrMatrix<T, Cuda> C;
  Offset products = 0;
};

/// The arrays of a matrix as kernels take them.
template <class T>
struct CsrRef {
  const Offset* row_offsets;
  const Index* col_indices;
  const T* values;
};

template <class T>
CsrRef<T> csr_ref(const CsrMatrix<T, Cuda>& A) {
  return {A.row_offsets.data(), A.col_indices.data(), A.values.data()};
}

}  // namespace amgsolve
