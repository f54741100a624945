#include "tests/reference/dense_decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace amgsolve::reference {

double smallest_krylov_residual(const EigenMatrix& A, const EigenVector& b, int steps) {
  EigenMatrix space(A.rows(), steps);
  EigenVector v = b;
  for (int k = 0; k < steps; ++k) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < k; ++i) {
        v -= space.col(i).dot(v) * space.col(i);
      }
    }
    space.col(k) = v.normalized();
    v = A * space.col(k);
  }
  const EigenMatrix image = A * space;
  return (b - image * least_squares(image, b)).norm();
}

EigenMatrix least_squares(const EigenMatrix& A, const EigenMatrix& B) { return A.colPivHouseholderQr().solve(B); }

EigenVector symmetric_eigenvalues(const EigenMatrix& A) {
  return Eigen::SelfAdjointEigenSolver<EigenMatrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

EigenMatrix symmetric_eigenvectors(const EigenMatrix& A) {
  return Eigen::SelfAdjointEigenSolver<EigenMatrix>(A).eigenvectors();
}

}  // namespace amgsolve::reference
