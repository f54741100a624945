#pragma once

namespace Eigen {
template <class Scalar, int Rows, int Columns, int Options, int MostRows, int MostColumns>
class Matrix;
}

/// What Eigen's decompositions tell of small dense matrices. Compilers take long for them: once for all tests.
namespace amgsolve::reference {

using EigenMatrix = Eigen::Matrix<double, -1, -1, 0, -1, -1>;  ///< Eigen::MatrixXd
using EigenVector = Eigen::Matrix<double, -1, 1, 0, -1, 1>;    ///< Eigen::VectorXd

/// The smallest ‖b − A x‖ over the x in the space that b, A b, … A^(steps − 1) b span.
double smallest_krylov_residual(const EigenMatrix& A, const EigenVector& b, int steps);

/// The X of least ‖B − A X‖; of a square matrix that is not singular, the solution.
EigenMatrix least_squares(const EigenMatrix& A, const EigenMatrix& B);

/// Of a symmetric matrix, the smallest first.
EigenVector symmetric_eigenvalues(const EigenMatrix& A);

/// Their eigenvectors, as columns.
EigenMatrix symmetric_eigenvectors(const EigenMatrix& A);

}  // namespace amgsolve::reference
