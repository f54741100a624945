#pragma once

#include <cmath>
#include <vector>

#include "spmv/csr_matrix.hpp"

namespace amgsolve::reference {

/// A X in double, with what bounds on the rounding of the same product in T need. All row-major like X.
struct NaiveProduct {
  std::vector<double> values;
  std::vector<double> magnitudes;  ///< |A| |X|
  std::vector<double> terms;       ///< entries of the row
};

template <class T>
NaiveProduct naive_spmv(const CsrMatrix<T, Host>& A, const std::vector<T>& X, Index columns) {
  const auto k = static_cast<std::size_t>(columns);
  const auto rows = static_cast<std::size_t>(A.rows);
  NaiveProduct product{std::vector<double>(rows * k), std::vector<double>(rows * k), std::vector<double>(rows * k)};
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      for (auto entry = static_cast<std::size_t>(A.row_offsets[i]);
           entry < static_cast<std::size_t>(A.row_offsets[i + 1]); ++entry) {
        const auto column = static_cast<std::size_t>(A.col_indices[entry]);
        const double term = static_cast<double>(A.values[entry]) * static_cast<double>(X[column * k + j]);
        product.values[i * k + j] += term;
        product.magnitudes[i * k + j] += std::abs(term);
        product.terms[i * k + j] += 1.0;
      }
    }
  }
  return product;
}

}  // namespace amgsolve::reference
