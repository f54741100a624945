#pragma once

#include <Eigen/SparseCore>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <amgsolve/amgsolve.hpp>
#include <amgsolve/operators.hpp>

/// Eigen's matrices and vectors for the solver, in the manner of Eigen's own solvers. Optional: for programs that have
/// Eigen 3.4.
namespace amgsolve {

/// The matrix in its own arrays, which must stay as they are while they are used. Throws Exception, bad_input, where it
/// is not compressed: A.makeCompressed().
template <class T>
CsrView<T, std::int32_t> view_of(const Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t>& A) {
  if (!A.isCompressed()) {
    throw Exception(Status::bad_input, "the matrix of Eigen is not compressed: call makeCompressed()");
  }
  const auto entries = static_cast<std::size_t>(A.nonZeros());
  return {A.rows(),
          A.cols(),
          {A.outerIndexPtr(), static_cast<std::size_t>(A.rows()) + 1},
          {A.innerIndexPtr(), entries},
          {A.valuePtr(), entries}};
}

namespace detail {

/// The values of an expression of Eigen, row-major as the solver wants them.
template <class T>
using RowMajorMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
ArrayView<const T> elements_of(const RowMajorMatrix<T>& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

template <class T>
ArrayView<T> elements_of(RowMajorMatrix<T>& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace detail

/// A Solver that is called as Eigen's iterative solvers are:
///
///     amgsolve::EigenSolver<double> solver(options);
///     solver.compute(A);                             // an Eigen::SparseMatrix<double> of either order
///     const Eigen::VectorXd x = solver.solve(b);     // b may have several columns
///     if (solver.info() != Eigen::Success) std::cerr << solver.result().message;
///
/// A is copied, as it is: of a symmetric one that stores a triangle, hand over A.selfadjointView<Eigen::Lower>(). Every
/// call throws what Solver throws. Unlike that of Eigen's solvers, solve() is not const, works when it is called rather
/// than where its result is used, and takes dense right-hand sides only.
/// @tparam T  float or double
template <class T>
class EigenSolver {
 public:
  explicit EigenSolver(const Options& options = {}) : solver_(options) {}
  template <class Matrix>
  explicit EigenSolver(const Eigen::EigenBase<Matrix>& A, const Options& options = {}) : solver_(options) {
    compute(A.derived());
  }
  EigenSolver(const EigenSolver&) = delete;
  EigenSolver& operator=(const EigenSolver&) = delete;

  /// Build the hierarchy of A.
  /// @param near_nullspace  rows × k, see Solver::setup()
  template <class Matrix>
  EigenSolver& compute(const Matrix& A, const detail::RowMajorMatrix<T>& near_nullspace = {}) {
    return take(A, [&] { solver_.setup(view_of(A_), detail::elements_of(near_nullspace)); });
  }

  /// Nothing: factorize() is compute().
  template <class Matrix>
  EigenSolver& analyzePattern(const Matrix&) {
    return *this;
  }
  template <class Matrix>
  EigenSolver& factorize(const Matrix& A) {
    return compute(A);
  }

  /// Take new values in the same pattern, see Solver::update_values().
  template <class Matrix>
  EigenSolver& update_values(const Matrix& A) {
    return take(A, [&] { solver_.update_values(view_of(A_)); });
  }

  /// Of the solves from now on, in the place of 'solver.tolerance' and 'solver.max_iterations'.
  EigenSolver& setTolerance(double tolerance) {
    settings_.tolerance = tolerance;
    return *this;
  }
  EigenSolver& setMaxIterations(Eigen::Index iterations) {
    settings_.max_iterations = static_cast<int>(std::min<Eigen::Index>(iterations, std::numeric_limits<int>::max()));
    return *this;
  }

  template <class Rhs>
  Eigen::Matrix<T, Eigen::Dynamic, Rhs::ColsAtCompileTime> solve(const Eigen::MatrixBase<Rhs>& b) {
    return solveWithGuess(b, detail::RowMajorMatrix<T>::Zero(b.rows(), b.cols()));
  }

  template <class Rhs, class Guess>
  Eigen::Matrix<T, Eigen::Dynamic, Rhs::ColsAtCompileTime> solveWithGuess(const Eigen::MatrixBase<Rhs>& b,
                                                                          const Eigen::MatrixBase<Guess>& x0) {
    if (x0.rows() != b.rows() || x0.cols() != b.cols()) {
      const auto shape = [](const auto& v) { return std::to_string(v.rows()) + " x " + std::to_string(v.cols()); };
      throw Exception(Status::bad_input, "the initial guess is " + shape(x0) + ", the right-hand side " + shape(b));
    }
    const detail::RowMajorMatrix<T> rhs = b;
    detail::RowMajorMatrix<T> x = x0;
    settings_.columns = static_cast<int>(b.cols());
    info_ = Eigen::NumericalIssue;  // of what throws
    result_ = solver_.solve(detail::elements_of(rhs), detail::elements_of(x), settings_);
    info_ = info_of(result_.status);
    return x;
  }

  Eigen::Index rows() const { return A_.rows(); }
  Eigen::Index cols() const { return A_.cols(); }

  /// How the last compute(), update_values() or solve() ended, as Eigen says it: NumericalIssue where it threw.
  Eigen::ComputationInfo info() const { return info_; }
  Eigen::Index iterations() const { return result_.iterations; }
  double error() const { return result_.relative_residual; }

  /// Of the last solve that returned, in full.
  const Result& result() const { return result_; }

  /// For its other calls.
  Solver<T>& solver() { return solver_; }

 private:
  static Eigen::ComputationInfo info_of(Status status) {
    switch (status) {
      case Status::converged:
        return Eigen::Success;
      case Status::not_converged:
      case Status::interrupted:
        return Eigen::NoConvergence;
      default:
        return Eigen::NumericalIssue;
    }
  }

  /// Calls give() with A in A_. The former one stays where it is meanwhile, and afterwards where A is refused.
  template <class Matrix, class Give>
  EigenSolver& take(const Matrix& A, Give&& give) {
    Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t> former;
    former.swap(A_);
    info_ = Eigen::NumericalIssue;  // of what throws
    try {
      A_ = A;
      A_.makeCompressed();
      give();
    } catch (...) {
      former.swap(A_);
      throw;
    }
    info_ = Eigen::Success;
    return *this;
  }

  Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t> A_;
  Solver<T> solver_;
  SolveSettings<T> settings_;
  Result result_;
  Eigen::ComputationInfo info_ = Eigen::InvalidInput;  ///< there is none yet
};

/// One multigrid cycle as the preconditioner of Eigen's methods:
///
///     Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower | Eigen::Upper,
///                              amgsolve::EigenPreconditioner<double>> cg(A);
///
/// Its options are set, before compute(), through cg.preconditioner().options(). Of their auto, 'amg.precision' is same
/// and 'amg.cycle' V here, as Eigen's methods take the cycle to be linear; conjugate gradients bear 'amg.precision'
/// mixed, which is faster.
/// @tparam T     float or double
/// @tparam UpLo  the triangle that is read of a symmetric matrix, Eigen::Lower or Eigen::Upper, for matrices that store
///               one only; both: the matrix as it is
template <class T, int UpLo = Eigen::Lower | Eigen::Upper>
class EigenPreconditioner {
 public:
  using StorageIndex = std::int32_t;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic };

  EigenPreconditioner() = default;
  template <class Matrix>
  explicit EigenPreconditioner(const Matrix& A) {
    compute(A);
  }

  Options& options() { return options_; }

  Eigen::Index rows() const { return rows_; }
  Eigen::Index cols() const { return rows_; }

  template <class Matrix>
  EigenPreconditioner& analyzePattern(const Matrix&) {
    return *this;
  }
  template <class Matrix>
  EigenPreconditioner& factorize(const Matrix& A) {
    return compute(A);
  }
  /// Where A is refused there is no preconditioner any more.
  template <class Matrix>
  EigenPreconditioner& compute(const Matrix& A) {
    solver_.reset();  // or there are two hierarchies at a time
    rows_ = 0;
    auto made = std::make_unique<EigenSolver<T>>(detail::linear_cycle(options_));
    if constexpr (UpLo == (Eigen::Lower | Eigen::Upper)) {
      made->compute(A);
    } else {
      made->compute(A.template selfadjointView<UpLo>());
    }
    solver_ = std::move(made);
    rows_ = A.rows();
    return *this;
  }

  /// M⁻¹ r.
  template <class Rhs>
  Eigen::Matrix<T, Eigen::Dynamic, Rhs::ColsAtCompileTime> solve(const Eigen::MatrixBase<Rhs>& r) const {
    if (!solver_) {
      throw Exception(Status::bad_input, "EigenPreconditioner: compute() has not run, or failed");
    }
    const detail::RowMajorMatrix<T> given = r;
    detail::RowMajorMatrix<T> z(r.rows(), r.cols());
    solver_->solver().precondition(detail::elements_of(given), detail::elements_of(z), static_cast<int>(r.cols()));
    return z;
  }

  Eigen::ComputationInfo info() const { return Eigen::Success; }

 private:
  Options options_;
  std::unique_ptr<EigenSolver<T>> solver_;
  Eigen::Index rows_ = 0;
};

}  // namespace amgsolve
