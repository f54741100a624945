#pragma once

#include <Eigen/Core>

/// What Eigen's decompositions tell of small dense matrices. Compilers take long for them: once for all tests.
namespace amgsolve::reference {

/// The smallest ‖b − A x‖ over the x in the space that b, A b, … A^(steps − 1) b span.
double smallest_krylov_residual(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, int steps);

/// The X of least ‖B − A X‖; of a square matrix that is not singular, the solution.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// The eigenvalues of a symmetric matrix, the smallest first, and their eigenvectors as columns.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);

}  // namespace amgsolve::reference
