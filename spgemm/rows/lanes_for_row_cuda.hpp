#pragma once

#include <algorithm>
#include <bit>

#include "spgemm/rows/tuning.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Lanes of a warp that take a row of B together, a power of two; see tuning.hpp for the reasons.
template <class T>
int lanes_for_rows(const CsrMatrix<T, Cuda>& B) {
  const Offset mean = B.rows > 0 ? (B.nnz() + B.rows - 1) / B.rows : 0;
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::clamp<Offset>(mean, fewest_lanes, 32))));
}

/// The same where products are added up at known positions.
template <class T>
int lanes_for_planned_rows(const CsrMatrix<T, Cuda>& B) {
  const Offset mean = B.rows > 0 ? B.nnz() / B.rows : 0;
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::clamp<Offset>(mean, fewest_planned_lanes, 32))));
}

}  // namespace amgsolve
