#pragma once

#include <cstdint>

#include "spgemm/rows/hash_table_cuda.cuh"

/// What the kernels of the thin product are made of.
namespace amgsolve::thin {

using hash::has_values;
using hash::NoValue;
using hash::ScaledRow;

/// Accumulators in shared memory for a chunk of columns from `first` on.
template <class T>
struct Chunk {
  std::uint32_t first;
  std::uint32_t columns;
  T* sums;  ///< where marked
  std::uint8_t* marks;

  __device__ bool has(std::uint32_t col) const { return col - first < columns; }
  __device__ bool is_before(std::uint32_t col) const { return col >= first && !has(col); }

  __device__ void add(std::uint32_t col, T product) const {
    const std::uint32_t c = col - first;
    if constexpr (has_values<T>) {
      sums[c] = (marks[c] != 0 ? sums[c] : T{0}) + product;
    }
    marks[c] = 1;
  }
};

/// The row of B that A's entry k refers to; an empty one from `end` on.
template <class T>
__device__ ScaledRow<T> load_scaled_row(const CsrRef<T>& A, const CsrRef<T>& B, Offset k, Offset end) {
  ScaledRow<T> row{};
  if (k < end) {
    const Index col = A.col_indices[k];
    row.begin = B.row_offsets[col];
    row.length = static_cast<Index>(B.row_offsets[col + 1] - row.begin);
    if constexpr (has_values<T>) {
      row.scale = A.values[k];
    }
  }
  return row;
}

template <class T>
__device__ T value_at(const CsrRef<T>& B, Offset k) {
  if constexpr (has_values<T>) {
    return B.values[k];
  } else {
    return {};
  }
}

template <class T>
__device__ T multiply(T a, T b) {
  if constexpr (has_values<T>) {
    return a * b;
  } else {
    return {};
  }
}

template <class V, class T>
CsrRef<V> pattern(const CsrMatrix<T, Cuda>& A) {
  return {A.row_offsets.data(), A.col_indices.data(), nullptr};
}

}  // namespace amgsolve::thin
