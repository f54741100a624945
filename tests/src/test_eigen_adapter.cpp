#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <amgsolve/eigen.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/src/own_matrix.hpp"

namespace amgsolve {
namespace {

template <class T, int Order>
Eigen::SparseMatrix<T, Order> eigen_poisson(std::int64_t n) {
  const auto A = poisson<T, std::int32_t>(n);
  std::vector<Eigen::Triplet<T>> triplets;
  for (int i = 0; i < A.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto e = static_cast<std::size_t>(A.row_offsets[row]); e < static_cast<std::size_t>(A.row_offsets[row + 1]);
         ++e) {
      triplets.emplace_back(i, A.col_indices[e], A.values[e]);
    }
  }
  Eigen::SparseMatrix<T, Order> result(A.rows, A.rows);
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

Options rough_options() { return small_options().set("solver.tolerance", 1e-5); }

template <class T>
class EigenAdapter : public testing::Test {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(EigenAdapter, Values);

TYPED_TEST(EigenAdapter, SolvesAsEigensSolversDo) {
  using T = TypeParam;
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const auto by_rows = eigen_poisson<T, Eigen::RowMajor>(40);
  const auto by_columns = eigen_poisson<T, Eigen::ColMajor>(40);
  const Vector b = Vector::LinSpaced(by_rows.rows(), -1, 2);
  EigenSolver<T> solver(rough_options());
  const Vector x = solver.compute(by_rows).solve(b);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_EQ(solver.iterations(), solver.result().iterations);
  EXPECT_LE(solver.error(), 1e-5);
  EXPECT_LE((b - by_rows * x).norm(), T(2e-5) * b.norm());
  EXPECT_EQ(solver.compute(by_columns).solve(b), x);
  EXPECT_EQ(Vector(solver.solveWithGuess(b, x)), x);
  EXPECT_EQ(solver.iterations(), 0);

  Matrix B(b.size(), 2);
  B << b, T(3) * b.reverse();
  const Matrix X = solver.solve(B);
  EXPECT_LE((B - by_rows * X).norm(), T(2e-5) * B.norm());
  EXPECT_EQ(solver.solver().hierarchy().levels.front().rows, by_rows.rows());
}

TEST(EigenSolvers, RefuseGuessesOfAnotherShape) {
  const auto A = eigen_poisson<double, Eigen::ColMajor>(10);
  const Eigen::Matrix<double, Eigen::Dynamic, 2> B = Eigen::MatrixXd::Ones(A.rows(), 2);
  EigenSolver<double> solver(A);
  for (const Eigen::MatrixXd& guess :
       {Eigen::MatrixXd(Eigen::MatrixXd::Zero(2 * A.rows(), 1)), Eigen::MatrixXd(Eigen::MatrixXd::Zero(A.rows(), 1))}) {
    try {
      solver.solveWithGuess(B, guess);
      FAIL() << "a guess of " << guess.rows() << " x " << guess.cols();
    } catch (const Exception& error) {
      EXPECT_EQ(error.status(), Status::bad_input);
      EXPECT_THAT(error.what(), testing::HasSubstr("100 x 2"));
    }
  }
}

TEST(EigenSolvers, HaveWhatEigensSolversHave) {
  const auto A = eigen_poisson<double, Eigen::ColMajor>(40);
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(A.rows(), -1, 2);
  EigenSolver<double> solver(A, rough_options());
  EXPECT_EQ(solver.rows(), A.rows());
  EXPECT_EQ(solver.cols(), A.cols());
  const Eigen::VectorXd x = solver.solve(b);
  solver.setTolerance(1e-10).solve(b);
  EXPECT_LE(solver.error(), 1e-10);
  solver.setMaxIterations(1).solve(b);
  EXPECT_EQ(solver.info(), Eigen::NoConvergence);
  EXPECT_EQ(solver.iterations(), 1);
  solver.setMaxIterations(Eigen::Index{1} << 32).solve(b);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EigenSolver<double> in_steps(rough_options());
  EXPECT_EQ(in_steps.analyzePattern(A).factorize(A).solve(b), x);
}

TEST(EigenSolvers, SayHowTheLastCallEnded) {
  const auto A = eigen_poisson<double, Eigen::RowMajor>(20);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(A.rows());
  Eigen::VectorXd no_number = b;
  no_number[0] = std::numeric_limits<double>::quiet_NaN();
  EigenSolver<double> solver(small_options());
  EXPECT_EQ(solver.info(), Eigen::InvalidInput);
  EXPECT_EQ(solver.compute(A).info(), Eigen::Success);
  EXPECT_EQ(status_thrown_by([&] { solver.solve(no_number); }), Status::bad_input);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  solver.solve(b);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_EQ(status_thrown_by([&] { solver.compute(A.topRows(10)); }), Status::bad_input);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
}

TEST(EigenAdapterErrors, AreTold) {
  const auto A = eigen_poisson<double, Eigen::RowMajor>(20);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(A.rows());
  EigenSolver<double> solver(rough_options().set("solver.max_iterations", 1).set("solver.reuse", "pattern"));
  solver.compute(A).solve(b);
  EXPECT_EQ(solver.info(), Eigen::NoConvergence);
  const Eigen::VectorXd before = solver.solve(b);
  EXPECT_EQ(status_thrown_by([&] { solver.solve(Eigen::VectorXd::Ones(3)); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.update_values(eigen_poisson<double, Eigen::RowMajor>(10)); }),
            Status::bad_input);
  EXPECT_EQ(Eigen::VectorXd(solver.solve(b)), before) << "works on as before";
  Eigen::SparseMatrix<double, Eigen::RowMajor> open = A;
  open.uncompress();
  EXPECT_EQ(status_thrown_by([&] { view_of(open); }), Status::bad_input);
  Eigen::SparseMatrix<double> indefinite = A;
  indefinite.coeffRef(0, 0) = -1.0;
  EXPECT_EQ(status_thrown_by([&] { solver.compute(indefinite); }), Status::breakdown);
}

TEST(EigenMatrices, NewValuesAreTaken) {
  const auto A = eigen_poisson<double, Eigen::ColMajor>(30);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(A.rows());
  EigenSolver<double> solver(rough_options().set("solver.reuse", "pattern"));
  solver.compute(A, Eigen::VectorXd::Ones(A.rows()));
  for (const double factor : {2.0, 3.0}) {
    const Eigen::VectorXd x = solver.update_values(Eigen::SparseMatrix<double>(factor * A)).solve(b);
    EXPECT_LE((b - factor * A * x).norm(), 1.01e-5 * b.norm());
  }
}

TEST(EigenMatrices, PreconditionsEigensMethods) {
  const auto A = eigen_poisson<double, Eigen::ColMajor>(60);
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(A.rows(), -1, 2);
  Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower | Eigen::Upper, EigenPreconditioner<double>> cg;
  cg.preconditioner().options() = rough_options();
  cg.setTolerance(1e-8);
  const Eigen::VectorXd x = cg.compute(A).solve(b);
  EXPECT_EQ(cg.info(), Eigen::Success);
  EXPECT_LE(cg.iterations(), 20);
  EXPECT_LE((b - A * x).norm(), 1.01e-8 * b.norm());
}

Eigen::VectorXd cycle(const Eigen::SparseMatrix<double>& A, const Options& options, const Eigen::VectorXd& r) {
  EigenSolver<double> solver(A, options);
  Eigen::VectorXd z(r.size());
  const auto n = static_cast<std::size_t>(r.size());
  solver.solver().precondition({r.data(), n}, {z.data(), n});
  return z;
}

Options linear_options() { return small_options().set("amg.cycle", "V").set("amg.precision", "same"); }

TEST(EigenPreconditioners, AreLinearUnlessTheProgramChooses) {
  auto upwind = eigen_poisson<double, Eigen::ColMajor>(40);
  for (Eigen::Index i = 0; i < upwind.rows(); ++i) {
    upwind.coeffRef(i, i) += 1.0;
    if (i % 40 > 0) {
      upwind.coeffRef(i, i - 1) -= 1.0;
    }
  }
  const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(upwind.rows(), -1, 2);
  EigenPreconditioner<double> M;
  M.options() = small_options();
  EXPECT_EQ(M.compute(upwind).solve(r), cycle(upwind, linear_options(), r));
  M.options().set("amg.cycle", "K").set("amg.precision", "mixed");
  EXPECT_EQ(M.compute(upwind).solve(r), cycle(upwind, M.options(), r));
  EXPECT_NE(M.solve(r), cycle(upwind, linear_options(), r));
}

TEST(EigenPreconditioners, AreGoneWhereComputeFailed) {
  const auto A = eigen_poisson<double, Eigen::ColMajor>(20);
  const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(A.rows(), -1, 2);
  Eigen::SparseMatrix<double> indefinite = A;
  indefinite.coeffRef(0, 0) = -1.0;
  EigenPreconditioner<double> M;
  M.options() = small_options();
  M.compute(A);
  EXPECT_EQ(status_thrown_by([&] { M.compute(indefinite); }), Status::breakdown);
  EXPECT_EQ(M.rows(), 0);
  EXPECT_THAT([&] { M.solve(r); },
              testing::ThrowsMessage<Exception>("EigenPreconditioner: compute() has not run, or failed"));
  EXPECT_EQ(M.compute(A).solve(r), cycle(A, linear_options(), r));
}

TEST(EigenPreconditioners, ReadTheTriangleThatIsStored) {
  const auto A = eigen_poisson<double, Eigen::ColMajor>(40);
  const Eigen::SparseMatrix<double> lower = A.triangularView<Eigen::Lower>();
  const Eigen::SparseMatrix<double, Eigen::RowMajor> upper = A.triangularView<Eigen::Upper>();
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(A.rows(), -1, 2);
  const Eigen::VectorXd z = cycle(A, linear_options(), b);
  EigenPreconditioner<double, Eigen::Lower> of_lower;
  of_lower.options() = small_options();
  EXPECT_EQ(of_lower.compute(lower).solve(b), z);
  EigenPreconditioner<double, Eigen::Upper> of_upper;
  of_upper.options() = small_options();
  EXPECT_EQ(of_upper.compute(upper).solve(b), z);
  Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower, EigenPreconditioner<double, Eigen::Lower>> cg(
      lower);
  cg.setTolerance(1e-8);
  const Eigen::VectorXd x = cg.solve(b);
  EXPECT_LE(cg.iterations(), 20);
  EXPECT_LE((b - A * x).norm(), 1.01e-8 * b.norm());
}

}  // namespace
}  // namespace amgsolve
