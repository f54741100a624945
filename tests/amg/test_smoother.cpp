#include "amg/smoother.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

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

  std::vector<double> smooth(const SmootherOptions& options, int sweeps, bool from_zero) {
    Context<S> ctx;
    const CsrMatrix<T, S> A_there = reference::upload(ctx, borrow(A));
    Buffer<T, S> diagonal(ctx, x.size());
    extract_diagonal<T>(ctx, A_there, diagonal);
    const auto smoother =
        smoother_maker<T, S>(options.type)(ctx, {A_there, std::as_const(diagonal).span(), rho}, options);
    // From zero neither vector may be read.
    const std::vector<T> unread(x.size(), std::numeric_limits<T>::quiet_NaN());
    Iterate<T, S> iterate{reference::upload(ctx, from_zero ? unread : x), reference::upload(ctx, unread)};
    const FatVector<T, S> b_there = reference::upload(ctx, b);
    const Operator<T, S> A_stored(ctx, borrow(A_there));
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      smoother->sweep(ctx, A_stored, from_zero && sweep == 0, b_there, iterate);
    }
    const std::vector<T> smoothed = reference::download(ctx, iterate.x);
    return {smoothed.begin(), smoothed.end()};
  }

  /// The damped Jacobi iteration, or the Chebyshev iteration by the three-term recurrence of its residual polynomial.
  std::vector<double> naive(const SmootherOptions& options, int sweeps, bool from_zero) {
    const DenseMatrix dense = reference::to_dense(A);
    const std::vector<double> rhs(b.begin(), b.end());
    std::vector<double> y(x.begin(), x.end());
    if (from_zero) {
      y.assign(y.size(), 0.0);
    }
    std::vector<double> inverse(y.size());
    for (Index i = 0; i < A.rows; ++i) {
      double l1 = 0.0;
      for (Index j = 0; j < A.cols; ++j) {
        l1 += std::abs(dense(i, j));
      }
      inverse[static_cast<std::size_t>(i)] = 1.0 / (options.type == SmootherType::l1_jacobi ? l1 : dense(i, i));
    }
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      if (options.type != SmootherType::chebyshev) {
        const double damping = options.type == SmootherType::jacobi ? options.damping / rho : 1.0;
        const std::vector<double> r = residual_of(dense, rhs, y);
        for (std::size_t i = 0; i < y.size(); ++i) {
          y[i] += damping * inverse[i] * r[i];
        }
        continue;
      }
      const double upper = 1.1 * rho;
      const double lower = default_lower_fraction * rho;
      const double theta = (upper + lower) / 2;
      const double delta = (upper - lower) / 2;
      std::vector<double> p(y.size(), 0.0);
      double previous = delta / theta;
      for (int step = 0; step < options.degree; ++step) {
        const std::vector<double> r = residual_of(dense, rhs, y);
        const double current = step == 0 ? previous : 1.0 / (2.0 * theta / delta - previous);
        for (std::size_t i = 0; i < y.size(); ++i) {
          p[i] = step == 0 ? inverse[i] * r[i] / theta
                           : current * previous * p[i] + 2.0 * current / delta * inverse[i] * r[i];
          y[i] += p[i];
        }
        previous = current;
      }
    }
    return y;
  }

  Context<Host> host;
  CsrMatrix<T, Host> A;
  std::vector<T> b;
  std::vector<T> x;
  double rho = 1.45;
};
TYPED_TEST_SUITE(SmootherTest, reference::Instances, reference::InstanceNames);

TYPED_TEST(SmootherTest, MatchesTheNaiveIteration) {
  for (const SmootherType type : {SmootherType::jacobi, SmootherType::l1_jacobi, SmootherType::chebyshev}) {
    for (const int degree : {1, 2, 3, 4}) {
      for (const int sweeps : {1, 2, 3}) {
        for (const bool from_zero : {true, false}) {
          SmootherOptions options;
          options.type = type;
          options.degree = degree;
          const std::vector<double> smoothed = this->smooth(options, sweeps, from_zero);
          const std::vector<double> expected = this->naive(options, sweeps, from_zero);
          for (std::size_t i = 0; i < expected.size(); ++i) {
            // Up to 12 products with rows of 9 entries, on values of magnitude one.
            ASSERT_NEAR(smoothed[i], expected[i], 12 * 20 * std::numeric_limits<typename TypeParam::Value>::epsilon())
                << "degree " << degree << ", sweeps " << sweeps << ", from zero " << from_zero;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace amgsolve
