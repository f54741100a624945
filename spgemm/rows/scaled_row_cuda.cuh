#pragma once

#include <type_traits>

#include "spmv/csr_ref.hpp"

namespace amgsolve {

/// Stands for the values where only the pattern matters.
struct NoValue {
  __device__ NoValue operator*(NoValue) const { return {}; }
};

template <class T>
inline constexpr bool has_values = !std::is_same_v<T, NoValue>;

/// A matrix without its values.
template <class T>
CsrRef<NoValue> pattern_ref(const CsrMatrix<T, Cuda>& A) {
  return {A.row_offsets.data(), A.col_indices.data(), nullptr};
}

template <class T>
__device__ T value_at(const CsrRef<T>& A, Offset k) {
  if constexpr (has_values<T>) {
    return A.values[k];
  } else {
    return {};
  }
}

/// A row of B, and the entry of A that scales it. A Position of 32 bits saves a register where B has less than 2³²
/// entries.
template <class T, class Position = Offset>
struct ScaledRow {
  Position begin;
  Index length;
  T scale;
};

/// The row that A's entry k names; an empty one from `end` on.
template <class Position = Offset, class T>
__device__ ScaledRow<T, Position> load_scaled_row(const CsrRef<T>& A, const CsrRef<T>& B, Offset k, Offset end) {
  ScaledRow<T, Position> row{};
  if (k < end) {
    const Index col = A.col_indices[k];
    const Offset begin = B.row_offsets[col];
    row.begin = static_cast<Position>(begin);
    row.length = static_cast<Index>(B.row_offsets[col + 1] - begin);
    row.scale = value_at(A, k);
  }
  return row;
}

}  // namespace amgsolve
