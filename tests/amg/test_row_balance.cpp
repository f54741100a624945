#include "amg/row_balance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "amg/fixed_unknowns.hpp"
#include "amg/symmetric_sum.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::changed_entries;
using reference::poisson;

template <class I>
class RowBalance : public reference::SpaceTest<typename I::Space> {
 public:
  using Value = typename I::Value;
  using Space = typename I::Space;

  std::vector<Value> scales_of(const CsrMatrix<Value, Host>& A, const std::vector<Value>& w) {
    Context<Space> ctx;
    const CsrMatrix<Value, Space> there = reference::upload(ctx, borrow(A));
    const Buffer<Value, Space> weights = reference::upload_buffer(ctx, w);
    return reference::download(ctx, balancing_scales(ctx, there, transpose(ctx, there), weights.span()).span());
  }
  std::vector<Value> ones(const CsrMatrix<Value, Host>& A) {
    return std::vector<Value>(static_cast<std::size_t>(A.rows), Value{1});
  }

  Context<Host> host;
};
TYPED_TEST_SUITE(RowBalance, reference::Instances, reference::InstanceNames);

/// Between 1/4 and 4.
std::vector<double> factors(Index count, unsigned seed) {
  auto values = reference::random_values<double>(static_cast<std::size_t>(count), seed);
  std::ranges::transform(values, values.begin(), [](double x) { return std::exp2(2.0 * x); });
  return values;
}

/// How far entries are from their mirrors when rows are multiplied by y: Σ |y_i a_ij − y_j a_ji| over Σ |y_i a_ij|.
template <class T>
double asymmetry(Context<Host>& host, const CsrMatrix<T, Host>& A, const std::vector<T>& y) {
  const CsrMatrix<T, Host> At = transpose(host, A);
  double differences = 0.0;
  double magnitudes = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      const auto j = static_cast<std::size_t>(A.col_indices[k]);
      const double here = static_cast<double>(y[i]) * A.values[k];
      differences += std::abs(here - static_cast<double>(y[j]) * At.values[k]);
      magnitudes += std::abs(here);
    }
  }
  return differences / magnitudes;
}

TYPED_TEST(RowBalance, UndoesWhatMultipliesEquations) {
  using T = typename TypeParam::Value;
  const auto L = generate_matrix<T>(this->host, poisson(reference::grid({40, 30}), Discretization::fd));
  const auto sizes = factors(L.rows, 3);
  const auto ones = this->ones(L);
  const auto A = changed_entries<T>(
      this->host, L, [&](Index i, Index, double value) { return value / sizes[static_cast<std::size_t>(i)]; });
  const std::vector<T> y = this->scales_of(A, ones);
  ASSERT_EQ(y.size(), ones.size());
  EXPECT_GT(*std::ranges::min_element(y), T{0});
  EXPECT_GT(asymmetry<T>(this->host, A, ones), 0.2);
  EXPECT_LT(asymmetry<T>(this->host, A, y), 1e-4);
  // Where the diagonal does not tell how large equations are, it takes steps.
  const auto B = changed_entries<T>(this->host, A, [&](Index i, Index j, double value) {
    return i == j ? value * (1.0 + 0.5 * static_cast<double>(i % 3)) : value;
  });
  const std::vector<T> z = this->scales_of(B, ones);
  ASSERT_EQ(z.size(), ones.size());
  EXPECT_LT(asymmetry<T>(this->host, B, z), 0.02);
}

TYPED_TEST(RowBalance, GoesByTheCandidate) {
  using T = typename TypeParam::Value;
  const auto L = generate_matrix<T>(this->host, poisson(reference::grid({40, 30}), Discretization::fd));
  const auto sizes = factors(L.rows, 3);
  const auto weights = factors(L.rows, 4);
  // D⁻¹ L W⁻¹, which takes W 1 to what D⁻¹ L takes 1 to.
  const auto A = changed_entries<T>(this->host, L, [&](Index i, Index j, double value) {
    return value / sizes[static_cast<std::size_t>(i)] / weights[static_cast<std::size_t>(j)];
  });
  std::vector<T> w(weights.begin(), weights.end());
  const std::vector<T> y = this->scales_of(A, w);
  ASSERT_EQ(y.size(), w.size());
  EXPECT_LT(asymmetry<T>(this->host, A, y), 0.02);
  for (T& weight : w) {
    weight = -weight;
  }
  EXPECT_EQ(this->scales_of(A, w), y);
  w[5] = T{0};
  EXPECT_EQ(this->scales_of(A, w)[5], T{1});
}

TYPED_TEST(RowBalance, LeavesWhatIsBalancedAndWhatFlows) {
  using T = typename TypeParam::Value;
  GeneratedProblem problem = poisson(reference::grid({40, 30}), Discretization::fd);
  const auto L = generate_matrix<T>(this->host, problem);
  EXPECT_TRUE(this->scales_of(L, this->ones(L)).empty());
  problem.pde = Pde::convection_diffusion;
  problem.velocity = Velocity::rotating;
  problem.peclet = 1e4;
  const auto flow = generate_matrix<T>(this->host, problem);
  EXPECT_TRUE(this->scales_of(flow, this->ones(flow)).empty());
  const CsrMatrix<T, Host> none(this->host, 0, 0, 0);
  EXPECT_TRUE(this->scales_of(none, {}).empty());
}

/// What balances a flow that reaches the boundary piles up there, so that many steps lead away from what they began at.
TYPED_TEST(RowBalance, UndoesWhatMultipliesTheEquationsOfAFlow) {
  using T = typename TypeParam::Value;
  GeneratedProblem problem = poisson(reference::grid({28, 20}), Discretization::fd);
  problem.pde = Pde::convection_diffusion;
  problem.peclet = 2e3;
  const auto flow = generate_matrix<T>(this->host, problem);
  const auto sizes = factors(flow.rows, 5);
  const auto A = changed_entries<T>(
      this->host, flow, [&](Index i, Index, double value) { return value / sizes[static_cast<std::size_t>(i)]; });
  const std::vector<T> y = this->scales_of(A, this->ones(A));
  ASSERT_EQ(y.size(), sizes.size());
  const T before = y[0] / static_cast<T>(sizes[0]);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_NEAR(y[i] / static_cast<T>(sizes[i]), before, 0.1 * before) << i;
  }
}

TYPED_TEST(RowBalance, MultipliesRowsAndColumns) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<S> ctx;
  const auto A = reference::random_matrix<T>(this->host, 70, 50, 20, 3);
  const auto x = reference::random_values<T>(50, 4);
  const auto y = reference::random_values<T>(70, 5);
  const CsrMatrix<T, S> there = reference::upload(ctx, borrow(A));
  const Buffer<T, S> scales = reference::upload_buffer(ctx, y);
  const auto rows = reference::download(ctx, scaled_rows<T>(ctx, scales.span(), there));
  CsrMatrix<T, S> columns = convert_values<T>(ctx, there);
  scale_columns_of<T>(ctx, reference::upload_buffer(ctx, x).span(), columns);
  const auto scaled_columns = reference::download(ctx, std::move(columns));
  for (std::size_t i = 0; i < 70; ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      EXPECT_EQ(rows.values[k], y[i] * A.values[k]);
      EXPECT_EQ(scaled_columns.values[k], A.values[k] * x[static_cast<std::size_t>(A.col_indices[k])]);
    }
  }
}

TYPED_TEST(RowBalance, FixedUnknownsLoseTheirColumnsAlone) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  const auto L = generate_matrix<T>(this->host, poisson(reference::grid({12, 9}), Discretization::q1));
  const auto is_fixed = [](Index i) { return i % 5 == 2; };
  const auto with = [&](bool keeps_columns) {
    return changed_entries<T>(this->host, L, [&](Index i, Index j, double value) {
      return i == j ? (is_fixed(i) ? 1e-3 : value) : is_fixed(i) || (is_fixed(j) && !keeps_columns) ? 0.0 : value;
    });
  };
  const auto rest = [&](const CsrMatrix<T, Host>& A) {
    return without_fixed_columns(ctx, reference::upload(ctx, borrow(A)));
  };
  EXPECT_TRUE(reference::identical(reference::download(ctx, rest(with(true))), with(false)));
  EXPECT_EQ(rest(with(false)).rows, 0) << "nothing to leave out";
  EXPECT_EQ(rest(L).rows, 0);
}

TYPED_TEST(RowBalance, TheSymmetricSumIsWhatItSays) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::random_matrix<T>(this->host, 70, 70, 40, 3);
  const auto sum = reference::download(ctx, symmetric_sum(ctx, reference::upload(ctx, borrow(A))));
  EXPECT_TRUE(reference::identical(sum, transpose(this->host, sum)));
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(70, 70);
  Eigen::MatrixXd actual = expected;
  const auto add = [](const CsrMatrix<T, Host>& M, Eigen::MatrixXd& to, bool transposed) {
    for (Index i = 0; i < M.rows; ++i) {
      for (auto k = M.row_offsets[static_cast<std::size_t>(i)]; k < M.row_offsets[static_cast<std::size_t>(i) + 1];
           ++k) {
        const Index j = M.col_indices[static_cast<std::size_t>(k)];
        (transposed ? to(j, i) : to(i, j)) += static_cast<double>(M.values[static_cast<std::size_t>(k)]);
      }
    }
  };
  add(A, expected, false);
  add(A, expected, true);
  add(sum, actual, false);
  // One addition of two numbers of at most 1.
  EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), 2.0 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

}  // namespace
}  // namespace amgsolve
