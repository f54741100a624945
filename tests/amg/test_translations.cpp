#include "amg/translations.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <utility>
#include <vector>

#include "amg/rigid_body_modes.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/dense_decompositions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

constexpr Index b = 3;

/// A clamped body in 3D and its modes, columns of the length 1: translations, then rotations.
template <class I>
class Translations : public reference::SpaceTest<typename I::Space> {
 protected:
  using T = typename I::Value;
  using S = typename I::Space;

  Translations() {
    problem_ = reference::poisson(reference::grid({20, 6, 6}), Discretization::q1);
    problem_.pde = Pde::elasticity;
    problem_.boundary = Boundary::clamped_face;
    A_ = generate_matrix<double>(host_, problem_);
    MultiVector<double, Host> x(host_, A_.rows / b, b);
    grid_coordinates(host_, problem_, x.view());
    const auto modes = rigid_body_modes<double>(host_, x, b);
    modes_ = Eigen::Map<const Matrix>(modes.data(), modes.rows(), modes.columns());
  }

  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  struct Completed {
    Matrix vectors;
    Index missing;
  };

  Completed complete(const Matrix& B) {
    Context<S> ctx;
    const std::vector<T> values(B.data(), B.data() + B.size());
    const auto given = reference::upload(ctx, values, static_cast<Index>(B.cols()));
    const auto found =
        with_translations(ctx, reference::upload(ctx, convert_values<T>(host_, A_)), std::as_const(given).view(), b);
    const std::vector<T> there = reference::download(ctx, found.vectors);
    Matrix vectors(found.vectors.rows(), found.vectors.columns());
    std::copy(there.begin(), there.end(), vectors.data());
    return {vectors, found.missing};
  }

  void expect_to_begin_with_translations(const Matrix& vectors) {
    for (Eigen::Index i = 0; i < vectors.rows(); ++i) {
      for (Eigen::Index c = 0; c < b; ++c) {
        ASSERT_EQ(vectors(i, c), i % b == c ? 1.0 : 0.0);
      }
    }
  }

  Context<Host> host_;
  GeneratedProblem problem_;
  CsrMatrix<double, Host> A_;
  Matrix modes_;
};
TYPED_TEST_SUITE(Translations, reference::Instances, reference::InstanceNames);

TYPED_TEST(Translations, JoinRotationsThatComeAlone) {
  const auto found = this->complete(this->modes_.rightCols(3));
  EXPECT_EQ(found.missing, 3);
  ASSERT_EQ(found.vectors.cols(), 6);
  this->expect_to_begin_with_translations(found.vectors);
  EXPECT_LT((found.vectors.rightCols(3) - this->modes_.rightCols(3)).norm(), 1e-5);
}

TYPED_TEST(Translations, OfAllModesStayInTheirPlace) {
  EXPECT_EQ(this->complete(this->modes_).vectors.rows(), 0);
  typename TestFixture::Matrix scaled = this->modes_;
  scaled.col(0) *= -7.0;
  EXPECT_EQ(this->complete(scaled).vectors.rows(), 0);
}

TYPED_TEST(Translations, ComeFirstInAnotherBasisOfTheModes) {
  typename TestFixture::Matrix mixed = this->modes_.rowwise().reverse();
  mixed.col(1) += 2.0 * mixed.col(4);
  const auto found = this->complete(mixed);
  EXPECT_EQ(found.missing, 0);
  ASSERT_EQ(found.vectors.cols(), 6);
  this->expect_to_begin_with_translations(found.vectors);
  // The same space: nothing of the modes is left.
  const Eigen::MatrixXd basis = found.vectors;
  const Eigen::MatrixXd fitted = basis * reference::least_squares(basis, this->modes_);
  EXPECT_LT((fitted - this->modes_).norm(), 1e-4);
}

TYPED_TEST(Translations, LeaveOutVectorsThatOthersSpan) {
  typename TestFixture::Matrix B(this->modes_.rows(), 4);
  B << this->modes_.col(3), 2.0 * this->modes_.col(3), this->modes_.col(0), this->modes_.col(4);
  const auto found = this->complete(B);
  EXPECT_EQ(found.missing, 2);
  EXPECT_EQ(found.vectors.cols(), 5);
}

TYPED_TEST(Translations, DoNotJoinWhatIsMuchSmoother) {
  // Rows and columns scaled by s: the modes are divided by it, and a constant is nothing special any more.
  Eigen::VectorXd s(this->A_.rows);
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    s(i) = std::exp2(static_cast<double>(i * i % 7 - 3));
  }
  for (Index i = 0; i < this->A_.rows; ++i) {
    for (auto k = static_cast<std::size_t>(this->A_.row_offsets[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(this->A_.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
      this->A_.values[k] *= s(i) * s(this->A_.col_indices[k]);
    }
  }
  const typename TestFixture::Matrix scaled = s.cwiseInverse().asDiagonal() * this->modes_;
  EXPECT_EQ(this->complete(scaled).vectors.rows(), 0);
  EXPECT_EQ(this->complete(scaled.rightCols(3)).vectors.rows(), 0);
}

}  // namespace
}  // namespace amgsolve
