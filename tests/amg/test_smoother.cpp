#include "amg/smoother.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <vector>

#include "amg/colouring.hpp"
#include "amg/hybrid_smoother.hpp"
#include "amg/optimal_polynomial.hpp"
#include "amg/residual_polynomial.hpp"
#include "amg/spectral_radius.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::DenseMatrix;

std::vector<double> residual_of(const DenseMatrix& A, const std::vector<double>& b, const std::vector<double>& x) {
  std::vector<double> r = b;
  for (Index i = 0; i < A.rows; ++i) {
    for (Index j = 0; j < A.cols; ++j) {
      r[static_cast<std::size_t>(i)] -= A(i, j) * x[static_cast<std::size_t>(j)];
    }
  }
  return r;
}

template <class I>
class SmootherTest : public reference::SpaceTest<typename I::Space> {
 public:
  using T = typename I::Value;
  using S = typename I::Space;

  SmootherTest() : A(generate_matrix<T>(host, reference::poisson(reference::grid({9, 8}), Discretization::q1))) {
    b = reference::random_values<T>(static_cast<std::size_t>(A.rows), 4);
    x = reference::random_values<T>(static_cast<std::size_t>(A.rows), 5);
  }

  std::vector<double> smooth(const SmootherOptions& options, Side side, int sweeps, bool from_zero) {
    Context<S> ctx;
    const CsrMatrix<T, S> A_there = reference::upload(ctx, borrow(A));
    Buffer<T, S> diagonal(ctx, x.size());
    extract_diagonal<T>(ctx, A_there, diagonal);
    const auto smoother = smoother_maker<T, S>(options.type)(
        ctx, {A_there, std::as_const(diagonal).span(), rho, block_size, kind, radius_steps}, options);
    // From zero neither vector may be read.
    const std::vector<T> unread(x.size(), std::numeric_limits<T>::quiet_NaN());
    Iterate<T, S> iterate{reference::upload(ctx, from_zero ? unread : x), reference::upload(ctx, unread)};
    const MultiVector<T, S> b_there = reference::upload(ctx, b);
    const Operator<T, S> A_stored(ctx, borrow(A_there));
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      smoother->sweep(ctx, A_stored, side, from_zero && sweep == 0 ? Start::zero : Start::x, b_there, iterate);
    }
    const std::vector<T> smoothed = reference::download(ctx, iterate.x);
    return {smoothed.begin(), smoothed.end()};
  }

  /// Damped Jacobi with the diagonal, the row sums of |A| or the blocks of nodes.
  void step(const DenseMatrix& scaling, double damping, const std::vector<double>& rhs, std::vector<double>& y) const {
    const std::vector<double> r = residual_of(reference::to_dense(A), rhs, y);
    for (Index i = 0; i < A.rows; ++i) {
      for (Index j = 0; j < A.rows; ++j) {
        y[static_cast<std::size_t>(i)] += damping * scaling(i, j) * r[static_cast<std::size_t>(j)];
      }
    }
  }

  void repeat(const DenseMatrix& scaling, int steps, const std::vector<double>& rhs, std::vector<double>& y) const {
    for (int m = 0; m < steps; ++m) {
      step(scaling, 1.0, rhs, y);
    }
  }

  /// D⁻¹ of the smoother.
  DenseMatrix inverse_diagonal(SmootherType type) {
    const DenseMatrix dense = reference::to_dense(A);
    DenseMatrix scaling(A.rows, A.rows);
    if (type == SmootherType::block_jacobi || type == SmootherType::block_chebyshev) {
      // 2 × 2 by Cramer's rule; of a matrix that is not symmetric with the rows' sums outside on the diagonal.
      for (Index i = 0; i < A.rows; i += 2) {
        std::array<double, 2> d = {dense(i, i), dense(i + 1, i + 1)};
        for (Index j = 0; j < A.cols && kind == MatrixKind::general; ++j) {
          d[0] += j / 2 == i / 2 ? 0.0 : std::abs(dense(i, j));
          d[1] += j / 2 == i / 2 ? 0.0 : std::abs(dense(i + 1, j));
        }
        const double determinant = d[0] * d[1] - dense(i, i + 1) * dense(i + 1, i);
        scaling(i, i) = d[1] / determinant;
        scaling(i + 1, i + 1) = d[0] / determinant;
        scaling(i, i + 1) = -dense(i, i + 1) / determinant;
        scaling(i + 1, i) = -dense(i + 1, i) / determinant;
      }
      return scaling;
    }
    for (Index i = 0; i < A.rows; ++i) {
      double l1 = 0.0;
      for (Index j = 0; j < A.cols; ++j) {
        l1 += std::abs(dense(i, j));
      }
      scaling(i, i) = 1.0 / (type == SmootherType::l1_jacobi ? l1 : dense(i, i));
    }
    return scaling;
  }

  /// Chebyshev iteration by the three-term recurrence of its residual polynomial.
  void chebyshev(const DenseMatrix& scaling, double lower_fraction, int degree, const std::vector<double>& rhs,
                 std::vector<double>& y) const {
    const double upper = 1.1 * rho;
    const double lower = lower_fraction * rho;
    const double theta = (upper + lower) / 2;
    const double delta = (upper - lower) / 2;
    std::vector<double> p(y.size(), 0.0);
    double previous = delta / theta;
    for (int m = 0; m < degree; ++m) {
      const std::vector<double> r = residual_of(reference::to_dense(A), rhs, y);
      const double current = m == 0 ? previous : 1.0 / (2.0 * theta / delta - previous);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double z = scaling(static_cast<Index>(i), static_cast<Index>(i)) * r[i];
        p[i] = m == 0 ? z / theta : current * previous * p[i] + 2.0 * current / delta * z;
        y[i] += p[i];
      }
      previous = current;
    }
  }

  /// Recurrence of the fourth kind with the optimised weights of Lottes (2022).
  void optimal_chebyshev(const DenseMatrix& scaling, double upper, int degree, const std::vector<double>& rhs,
                         std::vector<double>& y) const {
    static const std::vector<std::vector<double>> weights = {
        {1.12500000000000},
        {1.02387287570313, 1.26408905371085},
        {1.00842544782028, 1.08867839208730, 1.33753125909618},
        {1.00391310427285, 1.04035811188593, 1.14863498546254, 1.38268869241000},
        {1.00212930146164, 1.02173711549260, 1.07872433192603, 1.19810065292663, 1.41322542791682},
        {1.00128517255940, 1.01304293035233, 1.04678215124113, 1.11616489419675, 1.23829020218444, 1.43524297106744}};
    const DenseMatrix dense = reference::to_dense(A);
    std::vector<double> r = residual_of(dense, rhs, y);
    std::vector<double> d(y.size(), 0.0);
    const std::vector<double> zero(y.size(), 0.0);
    for (int m = 1; m <= degree; ++m) {
      std::vector<double> z(y.size(), 0.0);
      for (Index i = 0; i < A.rows; ++i) {
        for (Index j = 0; j < A.rows; ++j) {
          z[static_cast<std::size_t>(i)] += scaling(i, j) * r[static_cast<std::size_t>(j)];
        }
      }
      for (std::size_t i = 0; i < y.size(); ++i) {
        d[i] = (2.0 * m - 3.0) / (2.0 * m + 1.0) * d[i] + (8.0 * m - 4.0) / (2.0 * m + 1.0) / upper * z[i];
        y[i] += weights[static_cast<std::size_t>(degree - 1)][static_cast<std::size_t>(m - 1)] * d[i];
      }
      r = residual_of(dense, r, d);
    }
  }

  /// Row by row in the order of the colours, or backwards.
  void gauss_seidel(Side side, const std::vector<double>& rhs, std::vector<double>& y) {
    const DenseMatrix dense = reference::to_dense(A);
    const Colouring<Host> colouring = colour_rows(host, A);
    std::vector<Index> order(colouring.rows.data(), colouring.rows.data() + A.rows);
    if (side == Side::after) {
      std::reverse(order.begin(), order.end());
    }
    for (const Index row : order) {
      const auto i = static_cast<std::size_t>(row);
      y[i] += residual_of(dense, rhs, y)[i] / dense(row, row);
    }
  }

  /// The same within blocks of rows, the old values outside of them, and what couples there on the diagonal.
  void hybrid_gauss_seidel(Side side, const std::vector<double>& rhs, std::vector<double>& y) const {
    const DenseMatrix dense = reference::to_dense(A);
    const std::vector<double> old = y;
    for (Index step = 0; step < A.rows; ++step) {
      const Index i = side == Side::after ? A.rows - 1 - step : step;
      double diagonal = dense(i, i);
      double r = rhs[static_cast<std::size_t>(i)];
      for (Index j = 0; j < A.rows; ++j) {
        const bool is_within = j / hybrid_block_rows<S> == i / hybrid_block_rows<S>;
        diagonal += is_within ? 0.0 : std::abs(dense(i, j));
        r -= dense(i, j) * (is_within ? y : old)[static_cast<std::size_t>(j)];
      }
      y[static_cast<std::size_t>(i)] += r / diagonal;
    }
  }

  /// Steps of the lengths that the polynomial has for 1 / roots, most of which are complex.
  void residual_steps(int degree, const std::vector<double>& rhs, std::vector<double>& y) {
    Context<S> ctx;
    const DenseMatrix dense = reference::to_dense(A);
    const DenseMatrix scaling = inverse_diagonal(SmootherType::l1_jacobi);
    std::vector<T> rounded(y.size());
    for (Index i = 0; i < A.rows; ++i) {
      rounded[static_cast<std::size_t>(i)] = static_cast<T>(scaling(i, i));
    }
    std::vector<double> imaginary(y.size(), 0.0);
    const std::vector<double> none(y.size(), 0.0);
    for (const std::complex<double> mu :
         residual_polynomial<T>(ctx, Operator<T, S>(ctx, reference::upload(ctx, borrow(A)), Storage::csr),
                                reference::upload_buffer(ctx, rounded).span(), degree)) {
      const std::vector<double> r = residual_of(dense, rhs, y);
      const std::vector<double> s = residual_of(dense, none, imaginary);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double d = scaling(static_cast<Index>(i), static_cast<Index>(i));
        y[i] += d * (mu.real() * r[i] - mu.imag() * s[i]);
        imaginary[i] += d * (mu.real() * s[i] + mu.imag() * r[i]);
      }
    }
  }

  std::vector<double> naive(const SmootherOptions& options, Side side, int sweeps, bool from_zero) {
    const std::vector<double> rhs(b.begin(), b.end());
    std::vector<double> y(x.begin(), x.end());
    if (from_zero) {
      y.assign(y.size(), 0.0);
    }
    const DenseMatrix scaling = inverse_diagonal(options.type);
    const double rho_of_blocks = spectral_radius(host, Operator<T, Host>(host, borrow(A), Storage::csr),
                                                 invert_diagonal_blocks(host, A, block_size, false), radius_steps);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      switch (options.type) {
        case SmootherType::chebyshev:
          chebyshev(scaling, options.lower_fraction.value_or(default_lower_fraction), *options.degree, rhs, y);
          break;
        case SmootherType::chebyshev_opt_fourth:
          optimal_chebyshev(scaling, 1.1 * rho, *options.degree, rhs, y);
          break;
        case SmootherType::block_chebyshev:
          if (kind == MatrixKind::general) {
            repeat(scaling, *options.degree, rhs, y);
          } else {
            optimal_chebyshev(scaling, 1.1 * rho_of_blocks, *options.degree, rhs, y);
          }
          break;
        case SmootherType::gauss_seidel:
          gauss_seidel(side, rhs, y);
          break;
        case SmootherType::hybrid_gauss_seidel:
          hybrid_gauss_seidel(side, rhs, y);
          break;
        case SmootherType::gmres_polynomial:
          residual_steps(*options.degree, rhs, y);
          break;
        case SmootherType::block_jacobi:
          if (kind == MatrixKind::general) {
            repeat(scaling, *options.degree, rhs, y);
          } else {
            step(scaling, options.damping / rho_of_blocks, rhs, y);
          }
          break;
        default:
          step(scaling, options.type == SmootherType::jacobi ? options.damping / rho : 1.0, rhs, y);
      }
    }
    return y;
  }

  void expect_naive(const SmootherOptions& options, Side side, int sweeps, bool from_zero) {
    const std::vector<double> smoothed = smooth(options, side, sweeps, from_zero);
    const std::vector<double> expected = naive(options, side, sweeps, from_zero);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Up to 18 products with rows of 9 entries, on values of magnitude one.
      ASSERT_NEAR(smoothed[i], expected[i], 18 * 20 * std::numeric_limits<T>::epsilon())
          << "type " << static_cast<int>(options.type) << ", degree " << *options.degree << ", sweeps " << sweeps
          << ", from zero " << from_zero;
    }
  }

  /// All but automatic.
  static std::vector<SmootherType> types() {
    std::vector<SmootherType> all;
    for (const auto& [name, type] : smoother_names()) {
      if (type != SmootherType::automatic) {
        all.push_back(type);
      }
    }
    return all;
  }

  Context<Host> host;
  CsrMatrix<T, Host> A;
  std::vector<T> b;
  std::vector<T> x;
  double rho = 1.45;
  Index block_size = 2;
  MatrixKind kind = MatrixKind::definite;
  int radius_steps = default_spectral_radius_steps;
};
TYPED_TEST_SUITE(SmootherTest, reference::Instances, reference::InstanceNames);

TYPED_TEST(SmootherTest, MatchesTheNaiveIteration) {
  for (const SmootherType type : this->types()) {
    for (const int degree : {1, 2, 3, 4, 5, 6}) {
      for (const int sweeps : {1, 3}) {
        for (const bool from_zero : {true, false}) {
          for (const Side side : {Side::before, Side::after}) {
            this->expect_naive({.type = type, .degree = degree}, side, sweeps, from_zero);
          }
        }
      }
    }
  }
}

TYPED_TEST(SmootherTest, HeedsItsOptions) {
  this->radius_steps = 4;
  for (const SmootherType type : this->types()) {
    this->expect_naive({.type = type, .damping = 0.9, .degree = 3, .lower_fraction = 0.05}, Side::before, 2, false);
  }
}

TYPED_TEST(SmootherTest, RepeatsStepsOfBlocksWhereTheMatrixIsNotSymmetric) {
  this->kind = MatrixKind::general;
  const auto factors = reference::random_values<double>(this->A.values.size(), 6);
  for (std::size_t k = 0; k < factors.size(); ++k) {
    this->A.values[k] = static_cast<typename TypeParam::Value>(this->A.values[k] * (1.0 + 0.2 * factors[k]));
  }
  for (const SmootherType type : {SmootherType::block_jacobi, SmootherType::block_chebyshev}) {
    for (const int degree : {1, 3}) {
      this->expect_naive({.type = type, .degree = degree}, Side::before, 2, false);
    }
  }
}

TYPED_TEST(SmootherTest, TakesTheBytesThatItsLineSays) {
  using Value = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  const CsrMatrix<Value, Space> there = reference::upload(ctx, borrow(this->A));
  Buffer<Value, Space> diagonal(ctx, static_cast<std::size_t>(there.rows));
  extract_diagonal<Value>(ctx, there, diagonal);
  for (const auto& [name, type] : smoother_names()) {
    SmootherOptions options;
    options.type = type;
    const auto smoother = smoother_maker<Value, Space>(type)(
        ctx, {there, std::as_const(diagonal).span(), this->rho, this->block_size}, options);
    EXPECT_EQ(static_cast<double>(smoother->bytes()), smoother_bytes(type, there.rows, this->block_size, sizeof(Value)))
        << name;
  }
}

// What keeps a cycle symmetric: vᵀ M⁻ᵀ b = bᵀ M⁻¹ v, from zero.
TYPED_TEST(SmootherTest, SweepsAfterAreTheTransposeOfThoseBefore) {
  using Value = typename TypeParam::Value;
  const std::vector<Value> v = reference::random_values<Value>(this->b.size(), 9);
  const std::vector<Value> u = this->b;
  const auto product = [](const std::vector<Value>& left, const std::vector<double>& right) {
    double sum = 0.0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      sum += static_cast<double>(left[i]) * right[i];
    }
    return sum;
  };
  for (const SmootherType type : this->types()) {
    for (const int sweeps : {1, 2}) {
      SmootherOptions options;
      options.type = type;
      options.degree = 3;
      this->b = u;
      const double before = product(v, this->smooth(options, Side::before, sweeps, true));
      this->b = v;
      const double after = product(u, this->smooth(options, Side::after, sweeps, true));
      // Sums of 72 products, each of magnitude one.
      EXPECT_NEAR(before, after, 72 * 6 * 20 * std::numeric_limits<Value>::epsilon())
          << "type " << static_cast<int>(type);
    }
  }
}

TEST(OptimalPolynomial, IsKnownUpToADegree) {
  EXPECT_THROW(optimal_steps(0, 1.0), std::invalid_argument);
  EXPECT_THROW(optimal_steps(highest_optimal_degree + 1, 1.0), std::invalid_argument);
}

}  // namespace
}  // namespace amgsolve
