#pragma once

#include "spmv/csr_matrix.hpp"
#include "spmv/row_entries.hpp"
#include "spmv/row_lengths.hpp"

namespace amgsolve {

/// The arrays of a matrix, to be read: what loops and kernels take.
template <class T>
struct CsrRef {
  static constexpr bool has_padding = false;
  static constexpr Index block_rows = 1;

  const Offset* row_offsets;
  const Index* col_indices;
  const T* values;
  Index rows = 0;

  AMGSOLVE_HOST_DEVICE ListedEntries row(Offset i) const { return {room(i), col_indices}; }
  AMGSOLVE_HOST_DEVICE RowEntries room(Offset i) const {
    return {row_offsets[i], 1, static_cast<Index>(row_offsets[i + 1] - row_offsets[i])};
  }
  Offset rooms() const { return rows; }
};

template <class T, MemorySpace S>
CsrRef<T> ref_of(const CsrMatrix<T, S>& A) {
  return {A.row_offsets.data(), A.col_indices.data(), A.values.data(), A.rows};
}

/// @param entry_bytes  of a column and a value
inline double csr_bytes(const RowLengths& A, double entry_bytes) {
  return A.rows * sizeof(Offset) + entry_bytes * A.entries;
}

}  // namespace amgsolve
