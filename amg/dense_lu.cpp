#include "amg/dense_lu.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/copy.hpp"

namespace amgsolve {
namespace {

/// The power of two by which x is in [1, 2); 0 for 0.
double unit_scaling(double x) {
  constexpr int most_exponent = std::numeric_limits<double>::max_exponent - 1;
  return x > 0.0 ? std::ldexp(1.0, std::min(-std::ilogb(x), most_exponent)) : 0.0;
}

}  // namespace

struct DenseLu::Factor {
  Factor(Context<Host>& ctx, Index rows)
      : entries(ctx, static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows)),
        dense(entries.data(), rows, rows),
        row_scaling(Eigen::VectorXd::Zero(rows)),
        column_scaling(Eigen::VectorXd::Zero(rows)) {}

  Buffer<double, Host> entries;  ///< of the factors, which are formed in the place of the matrix
  Eigen::Map<Eigen::MatrixXd> dense;
  Eigen::VectorXd row_scaling;
  Eigen::VectorXd column_scaling;
  Eigen::PermutationMatrix<Eigen::Dynamic> permutation;
  std::vector<Eigen::Index> vanished;
};

template <class T>
DenseLu::DenseLu(Context<Host>& ctx, const CsrMatrix<T, Host>& A, double vanishing)
    : factor_(std::make_unique<Factor>(ctx, A.rows)) {
  auto& [entries, dense, row_scaling, column_scaling, permutation, vanished] = *factor_;
  dense.setZero();
  for (Index i = 0; i < A.rows; ++i) {
    const auto begin = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i) + 1]);
    double largest = 0.0;
    for (std::size_t k = begin; k < end; ++k) {
      largest = std::max(largest, std::abs(static_cast<double>(A.values[k])));
    }
    row_scaling(i) = largest > 0.0 ? 1.0 / largest : 0.0;
    for (std::size_t k = begin; k < end; ++k) {
      dense(i, A.col_indices[k]) = row_scaling(i) * static_cast<double>(A.values[k]);
    }
  }
  if (A.rows > 0) {
    column_scaling = dense.cwiseAbs().colwise().maxCoeff().transpose().unaryExpr(&unit_scaling);
  }
  dense *= column_scaling.asDiagonal();
  using Dense = Eigen::Ref<Eigen::MatrixXd>;
  const Eigen::PartialPivLU<Dense> lu(dense);
  permutation = lu.permutationP();
  for (Eigen::Index i = 0; i < dense.rows(); ++i) {
    if (!(std::abs(dense(i, i)) > vanishing)) {
      vanished.push_back(i);
      dense.row(i).tail(dense.cols() - i).setZero();
      dense(i, i) = 1.0;
    }
  }
}

void DenseLu::solve(double* x, Index columns) const {
  const auto& [entries, dense, row_scaling, column_scaling, permutation, vanished] = *factor_;
  Eigen::Map<Eigen::MatrixXd> y(x, dense.rows(), columns);
  y = permutation * (row_scaling.asDiagonal() * y).eval();
  dense.triangularView<Eigen::UnitLower>().solveInPlace(y);
  for (const Eigen::Index i : vanished) {
    y.row(i).setZero();
  }
  dense.triangularView<Eigen::Upper>().solveInPlace(y);
  y = column_scaling.asDiagonal() * y;
}

std::vector<double> DenseLu::inverse() const {
  const Eigen::Index n = factor_->dense.rows();
  std::vector<double> result(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0.0);
  Eigen::Map<Eigen::MatrixXd> columns(result.data(), n, n);
  columns.setIdentity();
  solve(result.data(), static_cast<Index>(n));
  columns.transposeInPlace();
  return result;
}

DenseLu::~DenseLu() = default;
DenseLu::DenseLu(DenseLu&&) noexcept = default;
DenseLu& DenseLu::operator=(DenseLu&&) noexcept = default;

Index DenseLu::nullity() const { return static_cast<Index>(factor_->vanished.size()); }

std::size_t DenseLu::bytes() const { return factor_->entries.bytes(); }

template DenseLu::DenseLu(Context<Host>&, const CsrMatrix<float, Host>&, double);
template DenseLu::DenseLu(Context<Host>&, const CsrMatrix<double, Host>&, double);

}  // namespace amgsolve
