#pragma once

#include "spmv/csr_matrix.hpp"
#include "spmv/row_entries.hpp"

namespace amgsolve {

/// The arrays of a matrix, to be read: what loops and kernels take.
template <class T>
struct CsrRef {
  static constexpr bool has_padding = false;

  const Offset* row_offsets;
  const Index* col_indices;
  const T* values;
  Index rows = 0;

  AMGSOLVE_HOST_DEVICE RowEntries row(Offset i) const { return {row_offsets[i], row_offsets[i + 1], 1}; }
};

template <class T, MemorySpace S>
CsrRef<T> ref_of(const CsrMatrix<T, S>& A) {
  return {A.row_offsets.data(), A.col_indices.data(), A.values.data(), A.rows};
}

}  // namespace amgsolve
