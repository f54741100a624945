#include "amg/spectral_radius.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "amg/options.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"

namespace amgsolve {
namespace {

template <class I>
class SpectralRadius : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SpectralRadius, reference::Instances, reference::InstanceNames);

template <class T, MemorySpace S>
double estimate(Context<S>& ctx, const CsrMatrix<T, Host>& A, int steps, Buffer<T, S>* start = nullptr) {
  const auto there = reference::upload(ctx, borrow(A));
  Buffer<T, S> d(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, there, d);
  return spectral_radius<T, S>(ctx, there, d, steps, start);
}

TYPED_TEST(SpectralRadius, IsWithinAFewPercentFromBelow) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({40, 40}), Discretization::fd));
  // Eigenvalues of D⁻¹A: (sin²(iπ/2(n+1)) + sin²(jπ/2(n+1))); the largest at i = j = n.
  const double root = std::sin(40.0 * std::numbers::pi / (2.0 * 41.0));
  const double exact = 2.0 * root * root;
  const double few = estimate(ctx, A, default_spectral_radius_steps);
  EXPECT_LT(few, exact * (1 + 1e-5));
  EXPECT_GT(few, 0.95 * exact);
  // With as many steps as distinct eigenvalues are visible the estimate is exact to rounding.
  EXPECT_NEAR(estimate(ctx, A, 100), exact, 1e-4 * exact);
}

TYPED_TEST(SpectralRadius, DoesNotDependOnTheScalingOfRowsAndColumns) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::random_spd_matrix<T>(host, 3000, 6, 5);
  // S A S with powers of two, most of all in a few rows: the same but for what their products round.
  auto scaled = convert_values<T>(host, A);
  const auto factor = [](std::size_t i) { return i % 100 == 3 ? 0x1p12 : i % 3 == 0 ? 0.5 : 1.0; };
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      scaled.values[k] *= static_cast<T>(factor(i) * factor(static_cast<std::size_t>(A.col_indices[k])));
    }
  }
  EXPECT_EQ(estimate(ctx, scaled, default_spectral_radius_steps), estimate(ctx, A, default_spectral_radius_steps));
}

TYPED_TEST(SpectralRadius, OfAFewRowsIsExactInAnyNumberOfSteps) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // D⁻¹A has the eigenvalues 1 ± 1/2 and 1; a row of zeros is left out.
  const auto A =
      reference::matrix_from_entries<T>(host, 4, 4, {{0, 0, 8}, {0, 2, -2}, {2, 0, -2}, {2, 2, 2}, {3, 3, 5}});
  for (const int steps : {3, 4, 10, 50}) {
    EXPECT_NEAR(estimate(ctx, A, steps), 1.5, 1e-5) << steps << " steps";
  }
  EXPECT_EQ(estimate(ctx, reference::matrix_from_entries<T>(host, 2, 2, {}), 10), 0.0);
}

TYPED_TEST(SpectralRadius, IsAtMostTheRowSumNormOfRowsWithAPositiveDiagonal) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  const auto norm = [&](const CsrMatrix<T, Host>& A) {
    const auto there = reference::upload(ctx, borrow(A));
    Buffer<T, Space> d(ctx, static_cast<std::size_t>(A.rows));
    extract_diagonal<T>(ctx, there, d);
    return row_sum_norm<T, Space>(ctx, there, d);
  };
  // (4 + 2) / 4, (1 + 1 + 2) / 1; rows with a negative diagonal, or without entries, do not count.
  EXPECT_NEAR(norm(reference::matrix_from_entries<T>(
                  host, 4, 4, {{0, 0, 4}, {0, 2, -2}, {1, 0, -1}, {1, 1, 1}, {1, 3, 2}, {2, 0, 50}, {2, 2, -1}})),
              4.0, reference::summation_bound<T>(6, 4.0));
  EXPECT_EQ(norm(reference::matrix_from_entries<T>(host, 2, 2, {{0, 1, 3}})), 0.0);
  const auto A = reference::random_spd_matrix<T>(host, 9000, 6, 3);
  double largest = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    double sum = 0.0;
    double diagonal = 0.0;
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      sum += std::abs(static_cast<double>(A.values[k]));
      diagonal += A.col_indices[k] == static_cast<Index>(i) ? static_cast<double>(A.values[k]) : 0.0;
    }
    largest = std::max(largest, sum / diagonal);
  }
  EXPECT_NEAR(norm(A), largest, reference::summation_bound<T>(40, largest));
  EXPECT_LE(estimate(ctx, A, 10), norm(A));
}

/// A with a block of `size` unknowns for each entry: 1 on its diagonal and else c, times the entry.
template <class T>
CsrMatrix<T, Host> with_blocks(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index size, double c) {
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < A.rows; ++i) {
    for (Offset k = A.row_offsets.data()[i]; k < A.row_offsets.data()[i + 1]; ++k) {
      for (Index p = 0; p < size; ++p) {
        for (Index q = 0; q < size; ++q) {
          const auto value = static_cast<double>(A.values.data()[k]);
          entries.push_back({i * size + p, A.col_indices.data()[k] * size + q, p == q ? value : c * value});
        }
      }
    }
  }
  return reference::matrix_from_entries<T>(ctx, A.rows * size, A.rows * size, std::move(entries));
}

/// Problems before and after their coefficients change by up to a half.
std::vector<std::pair<GeneratedProblem, GeneratedProblem>> changing_problems() {
  std::vector<std::pair<GeneratedProblem, GeneratedProblem>> all;
  for (const StructuredGrid& size : {reference::grid({90, 80}), reference::grid({25, 20, 18})}) {
    for (const Discretization discretization : {Discretization::fd, Discretization::q1}) {
      for (const Anisotropy& anisotropy : {Anisotropy{}, Anisotropy{0.01, 90.0}}) {
        GeneratedProblem before = reference::poisson(size, discretization);
        before.pde = Pde::diffusion;
        before.anisotropy = anisotropy;
        GeneratedProblem after = before;
        after.coefficient = {CoefficientType::random, 1.0, 1.0, 1.5, 1, 7};
        all.emplace_back(before, after);
        before.coefficient = after.coefficient;
        after.coefficient.seed = 11;
        all.emplace_back(before, after);
        before.coefficient = {CoefficientType::checkerboard, 1.0, 1.0, 1e4, 4};
        after.coefficient = before.coefficient;
        after.coefficient.high = 1.3e4;
        all.emplace_back(before, after);
      }
    }
  }
  return all;
}

TYPED_TEST(SpectralRadius, FewStepsFromAKeptStartGiveWhatMoreGiveFromARandomOne) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const auto& [before, after] : changing_problems()) {
    SCOPED_TRACE(std::string(to_string(before.discretization)) + ", " + std::to_string(before.grid.dimensions) + "D, " +
                 to_string(before.coefficient.type) + ", epsilon " + std::to_string(before.anisotropy.epsilon));
    const auto A = generate_matrix<T>(host, before);
    Buffer<T, S> start;
    constexpr int steps = default_spectral_radius_steps;
    EXPECT_EQ(estimate(ctx, A, steps, &start), estimate(ctx, A, steps));
    const std::vector<T> kept = reference::download(ctx, start.span());
    for (const GeneratedProblem& problem : {before, after}) {
      const auto changed = generate_matrix<T>(host, problem);
      const double more = estimate(ctx, changed, steps);
      const double few = estimate(ctx, changed, spectral_radius_restart_steps, &start);
      EXPECT_GT(few, 0.98 * more);
      EXPECT_LT(few, 1.001 * estimate(ctx, changed, 100));
    }
    EXPECT_EQ(reference::download(ctx, start.span()), kept);
  }
}

TYPED_TEST(SpectralRadius, OfLaterValuesFollowsTheEigenvectors) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  constexpr int steps = default_spectral_radius_steps;
  // Six unknowns a node of a grid, whose blocks have 1 on the diagonal and else c: the largest eigenvalues are those of
  // equal unknowns where c is positive, else those of unknowns that sum to zero.
  const auto coupled = [&](double c) {
    const GeneratedProblem grid = reference::poisson(reference::grid({10, 10}), Discretization::fd);
    return with_blocks(host, generate_matrix<T>(host, grid), 6, c);
  };
  RadiusEstimate<T, S> radius;
  for (const double c : {0.1, -0.1, -0.15, 0.5, 0.5}) {
    const auto A = coupled(c);
    const auto there = reference::upload(ctx, borrow(A));
    Buffer<T, S> diagonal(ctx, static_cast<std::size_t>(A.rows));
    extract_diagonal<T>(ctx, there, diagonal);
    const Operator<T, S> products(ctx, borrow(there), Storage::csr);
    EXPECT_GT(radius.of(ctx, products, diagonal, steps, true), 0.95 * estimate(ctx, A, steps)) << c;
  }
}

TYPED_TEST(SpectralRadius, HasTheBitsOfOneThread) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({150, 140}), Discretization::q1));
  std::vector<double> estimates;
  reference::for_contexts<S>([&](Context<S>& ctx) { estimates.push_back(estimate(ctx, A, 10)); });
  for (const double other : estimates) {
    EXPECT_EQ(other, estimates.front());
  }
}

}  // namespace
}  // namespace amgsolve
