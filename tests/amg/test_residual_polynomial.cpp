#include "amg/residual_polynomial.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <vector>

#include "spmv/conversions.hpp"
#include "spmv/random.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using Roots = std::vector<std::complex<double>>;

template <class I>
class ResidualPolynomial : public reference::SpaceTest<typename I::Space> {
 public:
  using Value = typename I::Value;
  using Space = typename I::Space;

  Roots roots_of(const CsrMatrix<Value, Host>& A, const std::vector<Value>& scaling, int degree) {
    Context<Space> ctx;
    const auto there = reference::upload_buffer(ctx, scaling);
    return residual_polynomial<Value>(ctx, Operator<Value, Space>(ctx, reference::upload(ctx, borrow(A))), there.span(),
                                      degree);
  }
  Roots roots_of(const CsrMatrix<Value, Host>& A, int degree) {
    return roots_of(A, std::vector<Value>(static_cast<std::size_t>(A.rows), Value{1}), degree);
  }

  static constexpr double epsilon = std::numeric_limits<Value>::epsilon();
  Context<Host> host;
};
TYPED_TEST_SUITE(ResidualPolynomial, reference::Instances, reference::InstanceNames);

/// A shift by a position beside the diagonal: eigenvalues on a circle around 2.
template <class T>
CsrMatrix<T, Host> convection_on_a_ring(Context<Host>& host, Index n) {
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, 2.0});
    entries.push_back({i, (i + n - 1) % n, -1.5});
    entries.push_back({i, (i + 1) % n, -0.25});
  }
  return reference::matrix_from_entries<T>(host, n, n, std::move(entries));
}

// That the residual is the smallest: it is orthogonal to what the next steps of any polynomial could change.
TYPED_TEST(ResidualPolynomial, LeavesAResidualThatIsOrthogonalToTheProducts) {
  using T = typename TypeParam::Value;
  const Index n = 60;
  const auto A = convection_on_a_ring<T>(this->host, n);
  std::vector<T> scaling(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < scaling.size(); ++i) {
    scaling[i] = static_cast<T>(i % 3 == 0 ? 0.5 : 0.375);
  }
  const reference::DenseMatrix dense = reference::to_dense(A);
  Eigen::MatrixXcd B(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      B(i, j) = static_cast<double>(scaling[static_cast<std::size_t>(i)]) * dense(i, j);
    }
  }
  Eigen::VectorXcd v(n);
  for (Index i = 0; i < n; ++i) {
    v(i) = static_cast<T>(random_uniform(2, static_cast<std::uint64_t>(i)));
  }
  double before = v.norm();
  for (const int degree : {1, 2, 3, 4, 5}) {
    const Roots roots = this->roots_of(A, scaling, degree);
    ASSERT_EQ(roots.size(), static_cast<std::size_t>(degree));
    Eigen::VectorXcd r = v;
    for (const std::complex<double> mu : roots) {
      r -= mu * (B * r).eval();
    }
    EXPECT_LE(r.imag().norm(), 1e3 * this->epsilon * v.norm());
    Eigen::VectorXcd product = v;
    for (int power = 1; power <= degree; ++power) {
      product = (B * product).eval();
      // Arnoldi's vectors lose orthogonality by the condition of the powers, some 10 for each.
      EXPECT_LE(std::abs(product.dot(r)), 20 * std::pow(10.0, degree) * this->epsilon * product.norm() * v.norm())
          << "degree " << degree << ", power " << power;
    }
    EXPECT_LT(r.norm(), 0.9 * before) << "each degree gains";
    before = r.norm();
  }
}

TYPED_TEST(ResidualPolynomial, StopsWhereTheProductsSpanNoMore) {
  using T = typename TypeParam::Value;
  // Two eigenvalues, then one, then none.
  const auto two = reference::matrix_from_entries<T>(this->host, 3, 3, {{0, 0, 4}, {1, 1, 4}, {2, 2, 0.5}});
  const Roots roots = this->roots_of(two, 6);
  ASSERT_EQ(roots.size(), 2U);
  EXPECT_NEAR(roots[0].real(), 0.25, 200 * this->epsilon);
  EXPECT_NEAR(roots[1].real(), 2.0, 200 * this->epsilon);
  const auto one = reference::matrix_from_entries<T>(this->host, 2, 2, {{0, 0, 8}, {1, 1, 8}});
  ASSERT_EQ(this->roots_of(one, 4).size(), 1U);
  EXPECT_NEAR(this->roots_of(one, 4).front().real(), 0.125, 10 * this->epsilon);
  EXPECT_TRUE(this->roots_of(reference::matrix_from_entries<T>(this->host, 2, 2, {}), 3).empty());
}

// A rotation by a right angle: no real step gains, and the pair of roots is ±i.
TYPED_TEST(ResidualPolynomial, FindsRootsOnTheImaginaryAxis) {
  using T = typename TypeParam::Value;
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < 20; i += 2) {
    entries.push_back({i, i + 1, 1.0});
    entries.push_back({i + 1, i, -1.0});
  }
  const auto A = reference::matrix_from_entries<T>(this->host, 20, 20, std::move(entries));
  const Roots roots = this->roots_of(A, 2);
  ASSERT_EQ(roots.size(), 2U);
  EXPECT_NEAR(std::abs(roots[0] - std::complex<double>(0, 1)), 0.0, 50 * this->epsilon);
  EXPECT_NEAR(std::abs(roots[1] - std::complex<double>(0, -1)), 0.0, 50 * this->epsilon);
  EXPECT_NEAR(std::abs(this->roots_of(A, 1).front()), 0.0, 50 * this->epsilon);
}

TYPED_TEST(ResidualPolynomial, RefusesOtherDegrees) {
  using T = typename TypeParam::Value;
  const auto A = convection_on_a_ring<T>(this->host, 5);
  EXPECT_THROW(this->roots_of(A, 0), std::invalid_argument);
  EXPECT_THROW(this->roots_of(A, highest_residual_degree + 1), std::invalid_argument);
}

}  // namespace
}  // namespace amgsolve
