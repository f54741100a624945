#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "amg/coarse_solver.hpp"
#include "amg/dense_lu.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

namespace {

using Dense = Eigen::Ref<Eigen::MatrixXd>;

/// D A D into `dense`.
template <class T>
void scale_to_dense(const CsrMatrix<T, Host>& A, const Eigen::VectorXd& scaling, Eigen::Map<Eigen::MatrixXd>& dense) {
  dense.setZero();
  for (Index i = 0; i < A.rows; ++i) {
    const auto end = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i) + 1]);
    for (auto k = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i)]); k < end; ++k) {
      const Index j = A.col_indices[k];
      dense(i, j) = scaling(i) * static_cast<double>(A.values[k]) * scaling(j);
    }
  }
}

/// 1 / √a_ii; 0 for a zero row.
template <class T>
Eigen::VectorXd unit_diagonal_scaling(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  const Buffer<T, Host> diagonal = diagonal_of(ctx, A);
  return Eigen::Map<const Eigen::VectorX<T>>(diagonal.data(), A.rows).template cast<double>().unaryExpr([](double d) {
    return d > 0.0 ? 1.0 / std::sqrt(d) : 0.0;
  });
}

/// The Cholesky factor L of the lower triangle in its place, by panels, between which the work may be interrupted: one
/// of thousands of rows takes minutes. Returns whether A is positive definite; else what is there is of no use.
bool factorize(const Context<Host>& ctx, Dense A) {
  constexpr Eigen::Index panel = 128;
  for (Eigen::Index k = 0; k < A.rows(); k += panel) {
    ctx.poll();
    const Eigen::Index width = std::min(panel, A.rows() - k);
    const Eigen::Index left = A.rows() - k - width;
    Dense diagonal_block = A.block(k, k, width, width);
    Dense below = A.block(k + width, k, left, width);
    if (Eigen::LLT<Dense>(diagonal_block).info() != Eigen::Success) {
      return false;
    }
    diagonal_block.triangularView<Eigen::Lower>().adjoint().solveInPlace<Eigen::OnTheRight>(below);
    A.bottomRightCorner(left, left).selfadjointView<Eigen::Lower>().rankUpdate(below, -1.0);
  }
  return true;
}

}  // namespace

template <class T>
struct CoarseSolver<T, Host>::Factor {
  Factor(Context<Host>& ctx, const CsrMatrix<T, Host>& A)
      : scaling(unit_diagonal_scaling(ctx, A)),
        entries(ctx, static_cast<std::size_t>(A.rows) * static_cast<std::size_t>(A.rows)),
        dense(entries.data(), A.rows, A.rows) {}
  explicit Factor(DenseLu of_any) : dense(nullptr, 0, 0), lu(std::move(of_any)) {}

  Eigen::VectorXd scaling;
  Buffer<double, Host> entries;  ///< of the factor, which is formed in the place of the matrix
  Eigen::Map<Eigen::MatrixXd> dense;
  std::optional<Eigen::LDLT<Dense>> pivoted;  ///< in place of the Cholesky factor where A is singular
  Eigen::VectorXd inverse_pivots;             ///< of the pivoted factor; 0 where a pivot is left out
  Index nullity = 0;
  std::optional<DenseLu> lu;  ///< in place of all that where A is not known to be definite
};

template <class T>
CoarseSolver<T, Host>::CoarseSolver(Context<Host>& ctx, const CsrMatrix<T, Host>& A, MatrixKind kind,
                                    const RoundingShare& rounding) {
  const auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const double vanishing = detail::vanishing_pivot(A.rows, epsilon);
  if (kind == MatrixKind::general) {
    factor_ = std::make_unique<Factor>(DenseLu(ctx, A, vanishing));
    return;
  }
  factor_ = std::make_unique<Factor>(ctx, A);
  scale_to_dense(A, factor_->scaling, factor_->dense);
  if (factorize(ctx, factor_->dense)) {
    const double smallest_root = A.rows > 0 ? factor_->dense.diagonal().minCoeff() : 1.0;
    if (smallest_root * smallest_root > vanishing) {
      return;
    }
  }
  if (kind != MatrixKind::definite) {
    factor_.reset();
    factor_ = std::make_unique<Factor>(DenseLu(ctx, A, vanishing));
    return;
  }
  scale_to_dense(A, factor_->scaling, factor_->dense);
  factor_->pivoted.emplace(factor_->dense);
  const Eigen::VectorXd pivots = factor_->pivoted->vectorD();
  detail::check_pivot(A.rows, pivots.minCoeff(), epsilon, rounding);
  factor_->inverse_pivots = Eigen::VectorXd::Zero(A.rows);
  for (Index i = 0; i < A.rows; ++i) {
    if (pivots(i) > vanishing) {
      factor_->inverse_pivots(i) = 1.0 / pivots(i);
    } else {
      ++factor_->nullity;
    }
  }
}

template <class T>
void CoarseSolver<T, Host>::solve(Context<Host>& ctx, MultiVectorView<const T, Host> b,
                                  MultiVectorView<T, Host> x) const {
  using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<std::int64_t>(b.rows);
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto entries = scope.take<double>(static_cast<std::size_t>(n * b.columns));
  Eigen::Map<Eigen::MatrixXd> y(entries.data(), b.rows, b.columns);
  y = Eigen::Map<const RowMajor>(b.data, b.rows, b.columns).template cast<double>();
  ctx.profile().add({.bytes = static_cast<std::int64_t>(bytes()), .flops = 2 * n * n * b.columns});
  if (factor_->lu) {
    factor_->lu->solve(y.data(), b.columns);
    Eigen::Map<RowMajor>(x.data, x.rows, x.columns) = y.template cast<T>();
    return;
  }
  y = factor_->scaling.asDiagonal() * y;
  if (factor_->pivoted) {
    const auto& ldlt = *factor_->pivoted;
    y = ldlt.transpositionsP() * y;
    ldlt.matrixL().solveInPlace(y);
    y = factor_->inverse_pivots.asDiagonal() * y;
    ldlt.matrixU().solveInPlace(y);
    y = ldlt.transpositionsP().transpose() * y;
  } else {
    const auto L = factor_->dense.template triangularView<Eigen::Lower>();
    L.solveInPlace(y);
    L.adjoint().solveInPlace(y);
  }
  y = factor_->scaling.asDiagonal() * y;
  Eigen::Map<RowMajor>(x.data, x.rows, x.columns) = y.template cast<T>();
}

template <class T>
CoarseSolver<T, Host>::~CoarseSolver() = default;
template <class T>
CoarseSolver<T, Host>::CoarseSolver(CoarseSolver&&) noexcept = default;
template <class T>
CoarseSolver<T, Host>& CoarseSolver<T, Host>::operator=(CoarseSolver&&) noexcept = default;

template <class T>
Index CoarseSolver<T, Host>::nullity() const {
  return factor_->lu ? factor_->lu->nullity() : factor_->nullity;
}

template <class T>
std::size_t CoarseSolver<T, Host>::bytes() const {
  return factor_->lu ? factor_->lu->bytes() : factor_->entries.bytes();
}

template <class T>
const char* CoarseSolver<T, Host>::method() const {
  return factor_->lu ? "dense LU" : factor_->pivoted ? "dense LDLT" : "dense Cholesky";
}

template class CoarseSolver<float, Host>;
template class CoarseSolver<double, Host>;

}  // namespace amgsolve
