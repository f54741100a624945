#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "spgemm/galerkin.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/naive_spgemm.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"

namespace amgsolve {
namespace {

template <class I>
class Galerkin : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Galerkin, reference::Instances, reference::InstanceNames);

/// A x in double.
template <class T>
std::vector<double> matrix_vector(const CsrMatrix<T, Host>& A, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      y[i] += static_cast<double>(A.values[k]) * x[static_cast<std::size_t>(A.col_indices[k])];
    }
  }
  return y;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

std::vector<double> absolute(std::vector<double> x) {
  std::transform(x.begin(), x.end(), x.begin(), [](double a) { return std::abs(a); });
  return x;
}

TYPED_TEST(Galerkin, KeepsTheBilinearFormOfTheFineMatrix) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  constexpr Index n = 2000;
  constexpr Index coarse = 300;
  const auto A = reference::random_spd_matrix<T>(host, n, 6, 1);
  const auto P = reference::random_matrix<T>(host, n, coarse, 12, 2);
  const auto R = transpose(host, P);
  const auto Ac =
      reference::download(ctx, galerkin_product(ctx, reference::upload(ctx, borrow(R)),
                                                reference::upload(ctx, borrow(A)), reference::upload(ctx, borrow(P))));
  ASSERT_EQ(Ac.rows, coarse);
  ASSERT_EQ(Ac.cols, coarse);
  const auto x = reference::random_values<double>(coarse, 3);
  const auto y = reference::random_values<double>(coarse, 4);
  // Each entry of A_c carries the roundings of a sum over a row of A and of one over a row of R.
  const double magnitude =
      dot(absolute(x), matrix_vector(reference::absolute(host, R),
                                     matrix_vector(reference::absolute(host, A),
                                                   matrix_vector(reference::absolute(host, P), absolute(y)))));
  const auto terms = static_cast<double>(reference::longest_row(R) + reference::longest_row(A));
  EXPECT_NEAR(dot(x, matrix_vector(Ac, y)), dot(matrix_vector(P, x), matrix_vector(A, matrix_vector(P, y))),
              reference::summation_bound<T>(terms, magnitude));
}

TYPED_TEST(Galerkin, TimesBothProducts) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto P = reference::random_matrix<T>(host, 30, 5, 3, 5);
  galerkin_product(ctx, reference::upload(ctx, transpose(host, P)),
                   reference::upload(ctx, reference::random_spd_matrix<T>(host, 30, 4, 6)),
                   reference::upload(ctx, borrow(P)));
  std::vector<std::string> phases;
  for (const Profile::Node& node : ctx.profile().nodes()) {
    if (node.parent < 0) {
      phases.push_back(node.phase);
      EXPECT_GT(node.work.flops, 0) << node.phase;
    }
  }
  EXPECT_EQ(phases, (std::vector<std::string>{"multiply AP", "multiply R(AP)"}));
}

TYPED_TEST(Galerkin, GathersTheStatisticsOfBothProducts) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::random_spd_matrix<T>(host, 300, 5, 7);
  const auto P = reference::random_matrix<T>(host, 300, 40, 4, 8);
  const auto R = transpose(host, P);
  const auto AP = reference::naive_spgemm(host, A, P);
  const auto RAP = reference::naive_spgemm(host, R, AP);
  GalerkinStatistics statistics;
  galerkin_product(ctx, reference::upload(ctx, borrow(R)), reference::upload(ctx, borrow(A)),
                   reference::upload(ctx, borrow(P)), {}, &statistics);
  const SpgemmStatistics expected_AP = spgemm_statistics(host, A, P, AP);
  const SpgemmStatistics expected_RAP = spgemm_statistics(host, R, AP, RAP);
  EXPECT_EQ(statistics.AP.products, expected_AP.products);
  EXPECT_EQ(statistics.AP.c_entries, AP.nnz());
  EXPECT_EQ(statistics.AP.contraction.deviation, expected_AP.contraction.deviation);
  EXPECT_EQ(statistics.RAP.rows, 40);
  EXPECT_EQ(statistics.RAP.histogram, expected_RAP.histogram);
  EXPECT_EQ(statistics.RAP.expansion.mean, expected_RAP.expansion.mean);
}

}  // namespace
}  // namespace amgsolve
