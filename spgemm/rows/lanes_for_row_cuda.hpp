#pragma once

#include <algorithm>
#include <bit>

#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Lanes of a warp that take a row of B together, 4, 8, 16 or 32: as many as its mean row has entries, or up to twice
/// as many. On an H200 fewer cost a second step on most rows, more leave lanes without work.
template <class T>
int lanes_for_rows(const CsrMatrix<T, Cuda>& B) {
  const Offset mean = B.rows > 0 ? (B.nnz() + B.rows - 1) / B.rows : 0;
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::clamp<Offset>(mean, 4, 32))));
}

/// The same, 1 to 32, where products are added up at known places: a step costs so little that lanes without work cost
/// more than a second step. On an H200 as many lanes as entries, rounded down to a power of two, are within 20 % of the
/// best for means of 2.4 to 27, and one or two lanes 1.5 times as quick as four for A P.
template <class T>
int lanes_for_planned_rows(const CsrMatrix<T, Cuda>& B) {
  const Offset mean = B.rows > 0 ? B.nnz() / B.rows : 0;
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::clamp<Offset>(mean, 1, 32))));
}

}  // namespace amgsolve
