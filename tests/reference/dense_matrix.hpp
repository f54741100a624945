#pragma once

#include <vector>

#include "spmv/csr_matrix.hpp"

namespace amgsolve::reference {

/// A dense matrix in double, row-major: the plainest form of any matrix, for small naive references.
struct DenseMatrix {
  Index rows = 0;
  Index cols = 0;
  std::vector<double> values;

  DenseMatrix(Index rows_, Index cols_)
      : rows(rows_), cols(cols_), values(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_)) {}

  double& operator()(Index i, Index j) { return values[position(i, j)]; }
  double operator()(Index i, Index j) const { return values[position(i, j)]; }

 private:
  std::size_t position(Index i, Index j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(j);
  }
};

/// Duplicates are summed.
template <class T>
DenseMatrix to_dense(const CsrMatrix<T, Host>& A);

DenseMatrix multiply(const DenseMatrix& A, const DenseMatrix& B);
DenseMatrix transpose(const DenseMatrix& A);

/// |A|, entry by entry.
DenseMatrix absolute(const DenseMatrix& A);

}  // namespace amgsolve::reference
