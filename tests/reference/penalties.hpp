#pragma once

#include <cstddef>
#include <vector>

#include "spmv/csr_matrix.hpp"

namespace amgsolve::reference {

/// Sets the first unknowns to 1, 1.1, 1.2, ... 1.9, 1, ... by the penalty, in a right-hand side as well.
inline void add_penalties(CsrMatrix<double, Host>& A, std::vector<double>& b, Index unknowns, double penalty) {
  for (Index i = 0; i < unknowns; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < static_cast<std::size_t>(A.row_offsets[row + 1]);
         ++k) {
      A.values[k] += A.col_indices[k] == i ? penalty : 0.0;
    }
    b[row] += penalty * (1.0 + 0.1 * (i % 10));
  }
}

}  // namespace amgsolve::reference
