#pragma once

#include "core/search.hpp"
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

/// Where a_ij is stored, −1 where it is not, in a matrix with sorted columns.
template <class T>
AMGSOLVE_HOST_DEVICE Offset find_entry(const CsrRef<T>& A, std::int64_t i, Index j) {
  return find_sorted(A.col_indices, A.row_offsets[i], A.row_offsets[i + 1], j);
}

/// The same of an entry near the middle of its row, as diagonal ones mostly are.
template <class T>
AMGSOLVE_HOST_DEVICE Offset find_middle_entry(const CsrRef<T>& A, std::int64_t i, Index j) {
  const Offset first = A.row_offsets[i];
  const Offset last = A.row_offsets[i + 1];
  const std::int64_t place = lower_bound_near(A.col_indices, first, last, j, first + (last - first) / 2);
  return place < last && A.col_indices[place] == j ? place : Offset{-1};
}

/// a_ij of a matrix with sorted columns, 0 where it is not stored.
template <class T>
AMGSOLVE_HOST_DEVICE T entry_or_zero(const CsrRef<T>& A, std::int64_t i, Index j) {
  const Offset entry = find_entry(A, i, j);
  return entry < 0 ? T{0} : A.values[entry];
}

/// @param entry_bytes  of a column and a value
inline double csr_bytes(const RowLengths& A, double entry_bytes) {
  return A.rows * sizeof(Offset) + entry_bytes * A.entries;
}

}  // namespace amgsolve
