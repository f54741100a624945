#pragma once

#include "spmv/csr_matrix.hpp"

namespace amgsolve {

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
