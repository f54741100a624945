#include "amg/interpolation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "amg/amalgamation.hpp"
#include "amg/couplings.hpp"
#include "amg/density.hpp"
#include "amg/density_limits.hpp"
#include "amg/density_steps.hpp"
#include "amg/jacobi_matrix.hpp"
#include "amg/solver.hpp"
#include "amg/spectral_radius.hpp"
#include "problems/generate.hpp"
#include "spgemm/galerkin.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::DenseMatrix;

template <class I>
class InterpolationTest : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(InterpolationTest, reference::Instances, reference::InstanceNames);

TYPED_TEST(InterpolationTest, JacobiMatrixIsOneStepOfIt) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::random_spd_matrix<T>(host, 60, 5, 3);
  const auto there = reference::upload(ctx, borrow(A));
  Buffer<T, S> d(ctx, 60);
  extract_diagonal<T>(ctx, there, d);
  CsrMatrix<T, S> J = jacobi_matrix(ctx, there, std::as_const(d).span(), T(0.6));
  const DenseMatrix dense = reference::to_dense(A);
  const DenseMatrix result = reference::to_dense(reference::download(ctx, std::move(J)));
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 60; ++j) {
      EXPECT_NEAR(result(i, j), (i == j ? 1.0 : 0.0) - 0.6 * dense(i, j) / dense(i, i),
                  4 * std::numeric_limits<T>::epsilon());
    }
  }
}

/// A level of rotated anisotropy on the host and in the space under test, up to its tentative prolongator.
template <class T, MemorySpace S>
struct LevelHere {
  Context<Host> host;
  Context<S> ctx;
  CsrMatrix<T, S> A;
  Buffer<T, S> diagonal;
  Couplings<T, S> couplings;
  Aggregates<S> aggregates;
  Tentative<T, S> tentative;
  double rho = 0.0;

  explicit LevelHere(double epsilon, double threshold) {
    GeneratedProblem problem = reference::poisson(reference::grid({40, 40}), Discretization::q1);
    problem.pde = Pde::diffusion;
    problem.anisotropy = {.epsilon = epsilon, .angle = 30.0};
    A = reference::upload(ctx, generate_matrix<T>(host, problem));
    diagonal = Buffer<T, S>(ctx, static_cast<std::size_t>(A.rows));
    extract_diagonal<T>(ctx, A, diagonal);
    MultiVector<T, S> ones(ctx, A.rows);
    fill_constant_candidates<T>(ctx, ones);
    couplings = strong_couplings(ctx, A, std::as_const(diagonal).span(), ones.view().span(), threshold, true);
    aggregates = aggregate(ctx, couplings.strong);
    tentative = tentative_prolongator<T>(ctx, aggregates, 1, ones);
    rho = spectral_radius<T, S>(ctx, A, diagonal, 10);
  }
  InterpolationOperands<T, S> operands(const CsrMatrix<T, S>& matrix) const {
    return {matrix, std::as_const(diagonal).span(), rho, aggregates, 1, tentative, nullptr};
  }
  Interpolation<T, S> interpolate(int steps, const AmgOptions& options = {}) {
    return interpolate(steps, options, {options.density_limit, options.density_limit});
  }
  Interpolation<T, S> interpolate(int steps, const AmgOptions& options, const DensityLimits& limits) {
    return Interpolator<T, S>().form(ctx, operands(A), borrow(couplings.filtered), {}, steps, limits, options, false);
  }
  double density(const CsrMatrix<T, S>& P) {
    const auto R = transpose(ctx, P);
    return static_cast<double>(galerkin_product(ctx, R, A, P, {}).nnz()) / static_cast<double>(A.nnz());
  }
};

TYPED_TEST(InterpolationTest, InteriorRowsKeepTheConstantInEveryForm) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  LevelHere<T, S> level(1e-3, 0.6);
  AmgOptions dense;
  dense.density_limit = 10.0;
  AmgOptions sparse;
  sparse.density_limit = 0.1;
  for (const auto& [steps, options] : {std::pair{1, dense}, {2, dense}, {2, sparse}}) {
    Interpolation<T, S> result = level.interpolate(steps, options);
    EXPECT_EQ(result.choices.steps, options.density_limit > 1.0 ? steps : 1);
    EXPECT_EQ(result.choices.truncation > 0.0, options.density_limit < 1.0);
    const auto P = reference::download(level.ctx, std::move(result.P));
    const auto B = reference::download(level.ctx, level.tentative.coarse_candidates);
    for (Index y = 5; y < 35; ++y) {
      for (Index x = 5; x < 35; ++x) {
        const auto i = static_cast<std::size_t>(y * 40 + x);
        double sum = 0.0;
        for (auto k = static_cast<std::size_t>(P.row_offsets[i]); k < static_cast<std::size_t>(P.row_offsets[i + 1]);
             ++k) {
          sum += static_cast<double>(P.values[k]) * static_cast<double>(B[static_cast<std::size_t>(P.col_indices[k])]);
        }
        EXPECT_NEAR(sum, 1.0, 200 * std::numeric_limits<T>::epsilon()) << x << ", " << y;
      }
    }
  }
}

TYPED_TEST(InterpolationTest, WhatIsWantedDropsMoreUntilItIsMet) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  LevelHere<T, S> level(1e-3, 0.6);
  const Interpolation<T, S> whole = level.interpolate(1, {}, {1.0, 1.0});
  EXPECT_EQ(whole.choices.truncation, 0.0);
  const double dense = level.density(whole.P);
  double density_before = dense;
  for (const double tolerance : {0.2, 0.3, 0.4}) {
    // What the tolerance before left is too dense by little.
    const DensityLimits limits{1.0, 0.99 * density_before};
    const Interpolation<T, S> result = level.interpolate(1, {}, limits);
    EXPECT_EQ(result.choices.truncation, tolerance);
    density_before = level.density(result.P);
    EXPECT_LT(density_before, limits.wanted);
  }
  EXPECT_EQ(level.interpolate(1, {}, {1.0, 0.01}).choices.truncation, 0.4) << "no more than that is dropped for it";
}

TYPED_TEST(InterpolationTest, TheEstimateOfTheDensityIsNearIt) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  LevelHere<T, S> level(1e-3, 0.6);
  const Interpolation<T, S> result = level.interpolate(2);
  const double exact = level.density(result.P);
  EXPECT_NEAR(estimate_density(level.ctx, level.A, result.P, 1), exact, 0.1 * exact);
}

TYPED_TEST(InterpolationTest, TheDensityOfFewRowsIsExact) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::random_matrix<T>(host, 900, 900, 4, 1);
  const auto P = reference::random_matrix<T>(host, 900, 200, 3, 2);
  const auto product = multiply(host, transpose(host, P), multiply(host, A, P));
  EXPECT_DOUBLE_EQ(estimate_density(ctx, reference::upload(ctx, borrow(A)), reference::upload(ctx, borrow(P)), 1),
                   static_cast<double>(product.nnz()) / static_cast<double>(A.nnz()));
}

TYPED_TEST(InterpolationTest, TheDensityIsEstimatedWhereItMayBeAboveALimit) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, reference::random_matrix<T>(host, 900, 900, 4, 1));
  const auto P = reference::upload(ctx, reference::random_matrix<T>(host, 900, 60, 3, 2));
  const double full = 3600.0 / static_cast<double>(A.nnz());
  EXPECT_EQ(density_above(ctx, full, A, P, 1), 0.0);
  const double density = density_above(ctx, 0.999 * full, A, P, 1);
  EXPECT_EQ(density, estimate_density(ctx, A, P, 1));
  EXPECT_GT(density, 0.1 * full);
  // All rows of 60 are counted for up to four candidates.
  EXPECT_EQ(estimate_density(ctx, A, P, 4), density);
  EXPECT_NEAR(estimate_density(ctx, A, P, 6), density, 0.3 * density);
}

/// Three unknowns a node that nothing couples: of each block A has the diagonal, a coarse matrix all.
TYPED_TEST(InterpolationTest, BlocksOfWhichTheMatrixHasAPartCountAsWhole) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto L = generate_matrix<double>(host, reference::poisson(reference::grid({14, 13, 12}), Discretization::fd));
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < L.rows; ++i) {
    for (auto k = static_cast<std::size_t>(L.row_offsets[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(L.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
      for (Index c = 0; c < 3; ++c) {
        entries.push_back({3 * i + c, 3 * L.col_indices[k] + c, L.values[k]});
      }
    }
  }
  const auto A = reference::upload(ctx, reference::matrix_from_entries<T>(host, 3 * L.rows, 3 * L.rows, entries));
  EXPECT_DOUBLE_EQ(share_of_blocks(ctx, A, 3), 1.0 / 3.0);
  EXPECT_EQ(share_of_blocks(ctx, A, 1), 1.0);
  AmgOptions options;
  options.block_size = 3;
  AmgSolver<T, S> solver(options, {});
  solver.setup(ctx, borrow(A));
  const LevelSummary finest = solver.summary().levels.front();
  EXPECT_GT(finest.density, options.density_limit);
  EXPECT_EQ(finest.truncation, 0.0);
}

TYPED_TEST(InterpolationTest, TheEntriesOfProductsAreCountedWhateverTheirWidth) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  // Columns of P past the 393216 that a block of a device marks at a time.
  for (const Index cols : {1, 70, 1'000'003}) {
    const auto R = reference::random_matrix<T>(host, 200, 500, 90, 1);
    const auto A = reference::random_matrix<T>(host, 500, 900, 90, 2);  // as of rows gathered for others
    const auto P = reference::random_matrix<T>(host, 900, cols, 90, 3);
    const auto product = multiply(host, multiply(host, R, A), P);
    const auto here = [&](const CsrMatrix<T, Host>& matrix) { return reference::upload(ctx, borrow(matrix)); };
    const auto [first, second, third] = std::tuple(here(R), here(A), here(P));
    EXPECT_EQ(
        count_product_entries(ctx, ref_of(first), ref_of(second), ref_of(third), cols, SampledRows({R.rows, R.rows})),
        product.nnz());
  }
}

}  // namespace
}  // namespace amgsolve
