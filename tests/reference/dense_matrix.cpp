#include "tests/reference/dense_matrix.hpp"

#include <cmath>

namespace amgsolve::reference {

template <class T>
DenseMatrix to_dense(const CsrMatrix<T, Host>& A) {
  DenseMatrix dense(A.rows, A.cols);
  for (Index i = 0; i < A.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      dense(i, A.col_indices[entry]) += static_cast<double>(A.values[entry]);
    }
  }
  return dense;
}

DenseMatrix multiply(const DenseMatrix& A, const DenseMatrix& B) {
  DenseMatrix C(A.rows, B.cols);
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = 0; k < A.cols; ++k) {
      if (A(i, k) == 0.0) {  // as most are of a matrix that was sparse
        continue;
      }
      for (Index j = 0; j < B.cols; ++j) {
        C(i, j) += A(i, k) * B(k, j);
      }
    }
  }
  return C;
}

DenseMatrix transpose(const DenseMatrix& A) {
  DenseMatrix At(A.cols, A.rows);
  for (Index i = 0; i < A.rows; ++i) {
    for (Index j = 0; j < A.cols; ++j) {
      At(j, i) = A(i, j);
    }
  }
  return At;
}

DenseMatrix absolute(const DenseMatrix& A) {
  DenseMatrix result = A;
  for (double& value : result.values) {
    value = std::abs(value);
  }
  return result;
}

template DenseMatrix to_dense(const CsrMatrix<float, Host>&);
template DenseMatrix to_dense(const CsrMatrix<double, Host>&);

}  // namespace amgsolve::reference
