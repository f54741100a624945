#include "tests/reference/dense_decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace amgsolve::reference {

double smallest_krylov_residual(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, int steps) {
  Eigen::MatrixXd space(A.rows(), steps);
  Eigen::VectorXd v = b;
  for (int k = 0; k < steps; ++k) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < k; ++i) {
        v -= space.col(i).dot(v) * space.col(i);
      }
    }
    space.col(k) = v.normalized();
    v = A * space.col(k);
  }
  const Eigen::MatrixXd image = A * space;
  return (b - image * least_squares(image, b)).norm();
}

Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.colPivHouseholderQr().solve(B);
}

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace amgsolve::reference
