#include "amg/couplings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/robustness_problems.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/coarsening.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::DenseMatrix;
using reference::FoundCouplings;

template <class T, MemorySpace S>
FoundCouplings<T> find(Context<Host>& host, Context<S>& ctx, const CsrMatrix<T, Host>& A,
                       const std::vector<T>& candidate, double threshold, bool filter = true,
                       const SecondThreshold& second = {}) {
  const CsrMatrix<T, S> there = reference::upload(ctx, borrow(A));
  Buffer<T, S> d(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, there, d);
  const Buffer<T, S> B = reference::upload_buffer<T>(ctx, candidate);
  return reference::download(
      ctx, host, strong_couplings(ctx, there, std::as_const(d).span(), B.span(), threshold, filter, nullptr, second));
}

/// The definition, entry by entry in double.
struct Naive {
  std::vector<std::vector<Index>> strong;
  DenseMatrix filtered;
  double dropped_weight = 0.0;
  double one_sided_share = 0.0;
};

Naive naive(const DenseMatrix& A, const std::vector<double>& B, double threshold) {
  const Index n = A.rows;
  const auto b = [&](Index i) { return B[static_cast<std::size_t>(i)]; };
  const auto scaled = [&](Index i, Index j) {
    return -A(i, j) * (b(i) * b(j) < 0 ? -1.0 : 1.0) / std::sqrt(A(i, i) * A(j, j));
  };
  const auto pull = [&](Index i, Index j) { return A(i, j) * b(j) / b(i); };
  const auto largest = [&](Index i, const auto& of) {
    double result = 0.0;
    for (Index j = 0; j < n; ++j) {
      result = j == i ? result : std::max(result, of(i, j));
    }
    return result;
  };
  Naive result{std::vector<std::vector<Index>>(static_cast<std::size_t>(n)), DenseMatrix(n, n)};
  double weak = 0.0;
  double one_sided = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double row_pull = largest(i, [&](Index r, Index j) { return -pull(r, j); });
    double dropped = 0.0;
    double magnitude = 0.0;
    for (Index j = 0; j < n; ++j) {
      if (j == i || A(i, j) == 0.0) {
        continue;
      }
      const bool is_strong = scaled(i, j) >= weakest_coupling &&
                             scaled(i, j) >= threshold * std::sqrt(largest(i, scaled)) * std::sqrt(largest(j, scaled));
      if (is_strong) {
        result.strong[static_cast<std::size_t>(i)].push_back(j);
      }
      const bool is_kept = is_strong || (-pull(i, j) > 0.0 && -pull(i, j) >= threshold * row_pull);
      weak += is_strong ? 0.0 : 1.0;
      one_sided += is_kept && !is_strong ? 1.0 : 0.0;
      if (is_kept) {
        result.filtered(i, j) = A(i, j);
      } else {
        dropped += pull(i, j);
        magnitude += std::abs(pull(i, j));
      }
    }
    const double lumped = A(i, i) + dropped;
    result.filtered(i, i) = lumped > least_lumped_diagonal * A(i, i) ? lumped : A(i, i);
    result.dropped_weight += std::min(1.0, magnitude / A(i, i)) / n;
  }
  result.one_sided_share = one_sided >= few_one_sided * n ? one_sided / weak : 0.0;
  return result;
}

CsrMatrix<double, Host> rotated_anisotropy(Context<Host>& ctx, Index n, double degrees) {
  GeneratedProblem problem = reference::poisson(reference::grid({n, n}), Discretization::q1);
  problem.pde = Pde::diffusion;
  problem.anisotropy = {.epsilon = 1e-3, .angle = degrees};
  return generate_matrix<double>(ctx, problem);
}

template <class I>
class CouplingsTest : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(CouplingsTest, reference::Instances, reference::InstanceNames);

TYPED_TEST(CouplingsTest, FollowTheDefinition) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // A candidate of both signs, and the matrix that it belongs to: D A D with d = B⁻¹.
  for (const double degrees : {0.0, 20.0, 45.0}) {
    CsrMatrix<double, Host> A = rotated_anisotropy(host, 13, degrees);
    std::vector<double> B = reference::random_values<double>(static_cast<std::size_t>(A.rows), 3);
    for (double& b : B) {
      b = std::copysign(0.5 + std::abs(b), b);
    }
    for (std::size_t i = 0; i < B.size(); ++i) {
      for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]);
           ++k) {
        A.values[k] /= B[i] * B[static_cast<std::size_t>(A.col_indices[k])];
      }
    }
    const auto A_there = convert_values<T>(host, A);
    // Thresholds that no ratio of couplings meets to rounding.
    for (const double threshold : {0.31, 0.57}) {
      const Naive expected = naive(reference::to_dense(A_there), B, threshold);
      const FoundCouplings<T> found = find<T>(host, ctx, A_there, std::vector<T>(B.begin(), B.end()), threshold);
      for (std::size_t i = 0; i < B.size(); ++i) {
        const std::vector<Index> mine(found.strong.col_indices.data() + found.strong.row_offsets[i],
                                      found.strong.col_indices.data() + found.strong.row_offsets[i + 1]);
        EXPECT_EQ(mine, expected.strong[i]) << "row " << i << ", threshold " << threshold << ", " << degrees;
      }
      const DenseMatrix filtered = reference::to_dense(found.filtered);
      for (Index i = 0; i < A.rows; ++i) {
        for (Index j = 0; j < A.cols; ++j) {
          // Sums of up to nine entries, up to 36 times as large as the diagonal where |B| is 1.5 beside 0.5.
          EXPECT_NEAR(filtered(i, j), expected.filtered(i, j), 1000 * std::numeric_limits<T>::epsilon());
        }
      }
      EXPECT_NEAR(found.dropped_weight, expected.dropped_weight, 1e-4);
      EXPECT_EQ(found.one_sided_share, expected.one_sided_share);
    }
  }
}

TYPED_TEST(CouplingsTest, AreOneSidedWhereCoefficientsJump) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto found = [&](const CsrMatrix<double, Host>& A) {
    const std::vector<T> ones(static_cast<std::size_t>(A.rows), T{1});
    const auto A_there = convert_values<T>(host, A);
    const FoundCouplings<T> result = find<T>(host, ctx, A_there, ones, 0.35);
    const Naive expected = naive(reference::to_dense(A_there), std::vector<double>(ones.size(), 1.0), 0.35);
    EXPECT_NEAR(result.one_sided_share, expected.one_sided_share, 1e-2);
    return result.one_sided_share;
  };
  GeneratedProblem problem = reference::poisson(reference::grid({16, 15}), Discretization::fd);
  EXPECT_EQ(found(generate_matrix<double>(host, problem)), 0.0);
  EXPECT_EQ(found(rotated_anisotropy(host, 16, 20.0)), 0.0);
  problem.pde = Pde::diffusion;
  problem.coefficient.high = 1e4;
  problem.coefficient.block = 2;
  for (const CoefficientType type : {CoefficientType::checkerboard, CoefficientType::random}) {
    problem.coefficient.type = type;
    EXPECT_GT(found(generate_matrix<double>(host, problem)), 0.4);
  }
}

TYPED_TEST(CouplingsTest, FilteringKeepsWhatTheMatrixMakesOfTheCandidate) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = convert_values<T>(host, rotated_anisotropy(host, 16, 15.0));
  const std::vector<T> ones(static_cast<std::size_t>(A.rows), T{1});
  const FoundCouplings<T> found = find<T>(host, ctx, A, ones, 0.4);
  ASSERT_LT(found.filtered.nnz(), A.nnz());
  const auto row_sum = [](const CsrMatrix<T, Host>& M, std::size_t i) {
    double sum = 0.0;
    for (auto k = static_cast<std::size_t>(M.row_offsets[i]); k < static_cast<std::size_t>(M.row_offsets[i + 1]); ++k) {
      sum += static_cast<double>(M.values[k]);
    }
    return sum;
  };
  for (std::size_t i = 0; i < ones.size(); ++i) {
    // Nine entries of magnitude one.
    EXPECT_NEAR(row_sum(found.filtered, i), row_sum(A, i), 20 * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(CouplingsTest, NothingIsCopiedWhereNothingIsWeak) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({20, 20}), Discretization::fd));
  const std::vector<T> ones(static_cast<std::size_t>(A.rows), T{1});
  const FoundCouplings<T> found = find<T>(host, ctx, A, ones, 0.4);
  EXPECT_EQ(found.filtered.rows, 0);
  EXPECT_EQ(found.dropped_weight, 0.0);
  EXPECT_EQ(static_cast<Offset>(found.strong.col_indices.size()), A.nnz() - A.rows);
}

TYPED_TEST(CouplingsTest, TheGraphDoesNotDependOnTheScale) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = convert_values<T>(host, rotated_anisotropy(host, 16, 30.0));
  const std::vector<T> ones(static_cast<std::size_t>(A.rows), T{1});
  const FoundCouplings<T> expected = find<T>(host, ctx, A, ones, 0.35);
  // Squares of these are beyond the range of T.
  const int exponent = sizeof(T) == sizeof(double) ? 600 : 80;
  for (const int e : {-exponent, exponent}) {
    CsrMatrix<T, Host> scaled = convert_values<T>(host, A);
    for (std::size_t k = 0; k < scaled.values.size(); ++k) {
      scaled.values[k] = std::ldexp(scaled.values[k], e);
    }
    const FoundCouplings<T> found = find<T>(host, ctx, scaled, ones, 0.35);
    ASSERT_EQ(found.strong.col_indices.size(), expected.strong.col_indices.size());
    EXPECT_TRUE(std::equal(found.strong.col_indices.data(),
                           found.strong.col_indices.data() + found.strong.col_indices.size(),
                           expected.strong.col_indices.data()));
    EXPECT_EQ(found.filtered.nnz(), expected.filtered.nnz());
    EXPECT_EQ(found.dropped_weight, expected.dropped_weight);
  }
}

TYPED_TEST(CouplingsTest, ASoftRowKeepsItsCouplingToAStiffOneWhichDropsIt) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // Two stiff pairs joined by a soft node.
  const auto A = reference::matrix_from_entries<T>(host, 5, 5,
                                                   {{0, 0, 1001},
                                                    {0, 1, -1000},
                                                    {1, 0, -1000},
                                                    {1, 1, 1001},
                                                    {1, 2, -1},
                                                    {2, 1, -1},
                                                    {2, 2, 2},
                                                    {2, 3, -1},
                                                    {3, 2, -1},
                                                    {3, 3, 1001},
                                                    {3, 4, -1000},
                                                    {4, 3, -1000},
                                                    {4, 4, 1001}});
  const FoundCouplings<T> found = find<T>(host, ctx, A, std::vector<T>(5, T{1}), 0.35);
  const DenseMatrix filtered = reference::to_dense(found.filtered);
  EXPECT_EQ(filtered(2, 1), -1.0);
  EXPECT_EQ(filtered(2, 3), -1.0);
  EXPECT_EQ(filtered(1, 2), 0.0);
  EXPECT_EQ(filtered(1, 1), 1000.0);
  EXPECT_EQ(found.strong.row_offsets[3] - found.strong.row_offsets[2], 0);
}

TYPED_TEST(CouplingsTest, ARowThatOnlyPullsTheOtherWayKeepsItsDiagonal) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::matrix_from_entries<T>(host, 2, 2, {{0, 0, 1}, {0, 1, 0.5}, {1, 0, 0.5}, {1, 1, 1}});
  const FoundCouplings<T> found = find<T>(host, ctx, A, {T{1}, T{1}}, 0.35);
  EXPECT_EQ(found.strong.col_indices.size(), 0U);
  EXPECT_EQ(found.filtered.nnz(), 2);
  EXPECT_EQ(found.filtered.values[0], T(1.5));
  EXPECT_EQ(found.dropped_weight, 0.5);
  // With a candidate that changes sign, the coupling is strong, and lumping is what it should be.
  EXPECT_EQ(find<T>(host, ctx, A, {T{1}, T{-1}}, 0.35).strong.col_indices.size(), 2U);
}

TYPED_TEST(CouplingsTest, TakeASecondThresholdWhereTheSurveyCallsForIt) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const CsrMatrix<T, Host> A = convert_values<T>(host, rotated_anisotropy(host, 30, 25.0));
  const std::vector<T> ones(static_cast<std::size_t>(A.rows), T{1});
  const FoundCouplings<T> first = find<T>(host, ctx, A, ones, 0.1);
  const FoundCouplings<T> other = find<T>(host, ctx, A, ones, 0.9);
  ASSERT_NE(first.strong.col_indices.size(), other.strong.col_indices.size());
  std::optional<CouplingSurvey> seen;
  std::optional<double> answer;
  const SecondThreshold second = [&](const CouplingSurvey& survey) {
    EXPECT_FALSE(seen) << "asked once";
    seen = survey;
    return answer;
  };
  for (const FoundCouplings<T>* expected : {&first, &other}) {
    const FoundCouplings<T> found = find<T>(host, ctx, A, ones, 0.1, true, second);
    EXPECT_TRUE(std::ranges::equal(found.strong.col_indices.span(), expected->strong.col_indices.span()));
    EXPECT_TRUE(std::ranges::equal(found.filtered.values.span(), expected->filtered.values.span()));
    EXPECT_EQ(found.dropped_weight, expected->dropped_weight);
    EXPECT_EQ(found.one_sided_share, expected->one_sided_share);
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->nodes, A.rows);
    EXPECT_EQ(seen->neighbours, static_cast<double>(first.strong.col_indices.size()));
    EXPECT_EQ(seen->dropped_weight, first.dropped_weight);
    EXPECT_EQ(seen->one_sided_share, first.one_sided_share);
    seen.reset();
    answer = 0.9;
  }
}

TYPED_TEST(CouplingsTest, RefuseSizesThatDoNotMatch) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A =
      reference::upload(ctx, generate_matrix<T>(host, reference::poisson(reference::grid({4, 4}), Discretization::fd)));
  const Buffer<T, S> right(ctx, 16);
  const Buffer<T, S> wrong(ctx, 15);
  EXPECT_THROW(strong_couplings(ctx, A, right.span(), wrong.span(), 0.35, true), std::invalid_argument);
  EXPECT_THROW(strong_couplings(ctx, A, wrong.span(), right.span(), 0.35, true), std::invalid_argument);
}

TEST(CouplingsThreads, DoNotChangeABit) {
  Context<Host> one(1);
  Context<Host> three(3);
  const auto A = rotated_anisotropy(one, 150, 25.0);
  const std::vector<double> ones(static_cast<std::size_t>(A.rows), 1.0);
  const FoundCouplings<double> a = find<double>(one, one, A, ones, 0.35);
  const FoundCouplings<double> b = find<double>(one, three, A, ones, 0.35);
  EXPECT_TRUE(reference::identical(a.filtered, b.filtered));
  EXPECT_EQ(a.dropped_weight, b.dropped_weight);
}

TEST(CouplingsWeight, TellsDirectionFromNone) {
  Context<Host> host;
  const auto weight = [&](const CsrMatrix<double, Host>& A) {
    return find<double>(host, host, A, std::vector<double>(static_cast<std::size_t>(A.rows), 1.0), 0.35).dropped_weight;
  };
  for (int degrees = 0; degrees <= 90; degrees += 5) {
    EXPECT_GT(weight(rotated_anisotropy(host, 40, degrees)), 0.1) << degrees;
  }
  EXPECT_LT(weight(bench::finite_volumes(host, {60, 60, 1},
                                         bench::harmonic({60, 60, 1}, bench::log_normal({60, 60, 1}, 3.0, 1, 1)))),
            0.05);
}

}  // namespace
}  // namespace amgsolve
