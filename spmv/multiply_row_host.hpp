#pragma once

#include <algorithm>

#include "spmv/spmv_steps.hpp"

/// A row of a product on the host, in any storage.
namespace amgsolve::detail {

// How many entries ahead they are asked for, across the ends of rows and past the end of the arrays too: the longer the
// rows, the more it saves.
inline constexpr Offset prefetch_distance = 256;

/// sums_j = Σ_l a_il x_lj for Width columns j of one row from `first` on, in the order of its entries. X has k columns.
template <Index Width, class T, class Columns, class Sum>
[[gnu::always_inline]] inline void multiply_row(const CsrRef<T>& A, Index i, const T* X, Columns k, Index first,
                                                Sum* sums) {
  constexpr Offset cache_line = 64 / sizeof(T);
  Sum row[static_cast<std::size_t>(Width)] = {};
  Offset entry = A.row_offsets[i];
  const Offset end = A.row_offsets[i + 1];
  while (entry < end) {
    __builtin_prefetch(A.values + entry + prefetch_distance);
    __builtin_prefetch(A.col_indices + entry + prefetch_distance);
    const Offset chunk_end = std::min(entry + cache_line, end);
    for (; entry < chunk_end; ++entry) {
      const auto value = static_cast<Sum>(A.values[entry]);
      const T* x = X + Offset{A.col_indices[entry]} * k + first;
      for (Index j = 0; j < Width; ++j) {
        row[j] += value * static_cast<Sum>(x[j]);
      }
    }
  }
  std::copy_n(row, Width, sums);
}

/// The same for a padded storage. The other rows of its block lie between the entries: the first row brings them all
/// into cache.
template <Index Width, class Ref, class T, class Columns, class Sum>
[[gnu::always_inline]] inline void multiply_row(const Ref& A, Index i, const T* X, Columns k, Index first, Sum* sums) {
  Sum row[static_cast<std::size_t>(Width)] = {};
  const auto entries = A.row(i);
  for (Index e = 0; e < entries.count; ++e) {
    const Index column = entries.column(e);
    if (Ref::has_padding && column == padding) {
      break;
    }
    const auto value = static_cast<Sum>(A.values[entries.place(e)]);
    const T* x = X + Offset{column} * k + first;
    for (Index j = 0; j < Width; ++j) {
      row[j] += value * static_cast<Sum>(x[j]);
    }
  }
  std::copy_n(row, Width, sums);
}

}  // namespace amgsolve::detail
