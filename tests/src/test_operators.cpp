#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <amgsolve/operators.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tests/reference/matrices.hpp"
#include "tests/src/own_matrix.hpp"

// The adapters to operators in the manner of MFEM and deal.II, on types that are called as theirs.
namespace amgsolve {
namespace {

using Matrix = OwnMatrix<double, std::int32_t>;

namespace mfem {

class Vector {
 public:
  explicit Vector(int size) : values_(static_cast<std::size_t>(size)) {}
  double* GetData() const { return values_.data(); }
  int Size() const { return static_cast<int>(values_.size()); }

 private:
  mutable std::vector<double> values_;
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual void Mult(const Vector& x, Vector& y) const = 0;
};

class SparseMatrix {
 public:
  explicit SparseMatrix(Matrix A) : A_(std::move(A)) {}
  int Height() const { return static_cast<int>(A_.rows); }
  int Width() const { return static_cast<int>(A_.rows); }
  const int* GetI() const { return A_.row_offsets.data(); }
  const int* GetJ() const { return A_.col_indices.data(); }
  const double* GetData() const { return A_.values.data(); }
  void Mult(const Vector& x, Vector& y) const {
    const std::vector<double> product = naive_product(A_, x.GetData());
    std::copy(product.begin(), product.end(), y.GetData());
  }

 private:
  Matrix A_;
};

}  // namespace mfem

namespace dealii {

class Vector {
 public:
  explicit Vector(std::size_t size) : values_(size) {}
  double* begin() { return values_.data(); }
  const double* begin() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<double> values_;
};

/// With the diagonal first in each row.
class SparseMatrix {
 public:
  struct Entry {
    unsigned column_;
    double value_;
    unsigned column() const { return column_; }
    double value() const { return value_; }
  };

  explicit SparseMatrix(const Matrix& A) : A_(A), rows_(static_cast<std::size_t>(A.rows)) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (auto e = static_cast<std::size_t>(A.row_offsets[i]); e < static_cast<std::size_t>(A.row_offsets[i + 1]);
           ++e) {
        const Entry entry{static_cast<unsigned>(A.col_indices[e]), A.values[e]};
        rows_[i].insert(entry.column_ == i ? rows_[i].begin() : rows_[i].end(), entry);
      }
    }
  }
  unsigned m() const { return static_cast<unsigned>(rows_.size()); }
  unsigned n() const { return m(); }
  auto begin(unsigned row) const { return rows_[row].begin(); }
  auto end(unsigned row) const { return rows_[row].end(); }
  void vmult(Vector& y, const Vector& x) const {
    const std::vector<double> product = naive_product(A_, x.begin());
    std::copy(product.begin(), product.end(), y.begin());
  }

 private:
  Matrix A_;
  std::vector<std::vector<Entry>> rows_;
};

}  // namespace dealii

class OperatorAdapters : public testing::Test {
 protected:
  OperatorAdapters() { solver_.setup(A_.view()); }

  std::vector<double> cycle_of(const std::vector<double>& r) {
    std::vector<double> z(r.size());
    solver_.precondition(r, z);
    return z;
  }

  template <class Vector>
  static Vector filled(const std::vector<double>& values) {
    Vector x(static_cast<std::uint16_t>(values.size()));
    std::copy(values.begin(), values.end(), detail::values_of<double>(x).data());
    return x;
  }

  template <class Vector>
  static std::vector<double> values(const Vector& x) {
    const ArrayView<const double> view = detail::values_of<const double>(x);
    return {view.begin(), view.end()};
  }

  const Matrix A_ = poisson<double, std::int32_t>(40);
  const std::vector<double> r_ = reference::random_values<double>(1600, 1);
  Solver<double> solver_{small_options()};
};

TEST_F(OperatorAdapters, AreACycleForMfem) {
  class Cycle : public mfem::Solver {
   public:
    explicit Cycle(amgsolve::Solver<double>& solver) : cycle_(solver) {}
    void Mult(const mfem::Vector& r, mfem::Vector& z) const override { cycle_.Mult(r, z); }

   private:
    CycleOperator<double> cycle_;
  };
  const std::unique_ptr<mfem::Solver> M = std::make_unique<Cycle>(solver_);
  mfem::Vector z(1600);
  M->Mult(filled<mfem::Vector>(r_), z);
  EXPECT_EQ(values(z), cycle_of(r_));
}

TEST_F(OperatorAdapters, AreACycleForDealii) {
  const CycleOperator<double> M(solver_);
  dealii::Vector z(1600);
  M.vmult(z, filled<dealii::Vector>(r_));
  EXPECT_EQ(values(z), cycle_of(r_));
  std::vector<double> of_standard_library(1600);
  M.vmult(of_standard_library, r_);
  EXPECT_EQ(of_standard_library, cycle_of(r_));
}

TEST_F(OperatorAdapters, AreAWholeSolve) {
  std::vector<double> expected(1600, 0.0);
  const Result result = solver_.solve(r_, expected);
  const InverseOperator<double> inverse(solver_);
  mfem::Vector x = filled<mfem::Vector>(std::vector<double>(1600, 0.0));
  inverse.Mult(filled<mfem::Vector>(r_), x);
  EXPECT_EQ(values(x), expected);
  EXPECT_EQ(inverse.result().iterations, result.iterations);
  dealii::Vector y = filled<dealii::Vector>(std::vector<double>(1600, 0.0));
  inverse.vmult(y, filled<dealii::Vector>(r_));
  EXPECT_EQ(values(y), expected);
}

TEST_F(OperatorAdapters, TakeMatrices) {
  const mfem::SparseMatrix of_mfem(A_);
  Solver<double> of_view(small_options());
  of_view.setup(view_of_mfem(of_mfem));
  const dealii::SparseMatrix of_dealii(A_);
  const CsrArrays<double> copy = copy_of_dealii<double>(of_dealii);
  EXPECT_EQ(copy.col_indices, A_.col_indices);
  EXPECT_EQ(copy.values, A_.values);
  Solver<double> of_copy(small_options());
  of_copy.setup(view_of(copy));
  const std::vector<double> expected = cycle_of(r_);
  for (Solver<double>* solver : {&of_view, &of_copy}) {
    std::vector<double> z(1600);
    solver->precondition(r_, z);
    EXPECT_EQ(z, expected);
  }
}

TEST_F(OperatorAdapters, AreProductsOfASolve) {
  Matrix twice = A_;
  for (double& value : twice.values) {
    value *= 2.0;
  }
  const mfem::SparseMatrix of_mfem(twice);
  const dealii::SparseMatrix of_dealii(twice);
  SolveSettings<double> settings;
  settings.columns = 2;
  const std::vector<double> b = reference::random_values<double>(3200, 2);
  for (const auto& product :
       {product_of<double, mfem::Vector>(of_mfem, 1600), product_of<double, dealii::Vector>(of_dealii, 1600)}) {
    settings.product = product;
    std::vector<double> x(3200, 0.0);
    EXPECT_EQ(solver_.solve(b, x, settings).status, Status::converged);
    EXPECT_LE(relative_residual(twice, b, x, 2, 0), 1.01e-8);
    EXPECT_LE(relative_residual(twice, b, x, 2, 1), 1.01e-8);
  }
}

}  // namespace
}  // namespace amgsolve
