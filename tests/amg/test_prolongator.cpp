#include "amg/prolongator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "amg/spectral_radius.hpp"
#include "amg/strength.hpp"
#include "problems/generate.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::DenseMatrix;

/// A matrix with its aggregates and everything the prolongators start from.
template <class T>
struct Coarsening {
  Context<Host> ctx{2};
  Index block_size = 1;
  CsrMatrix<T, Host> A;
  Graph<Host> strong;
  Aggregates<Host> aggregates;
  FatVector<T, Host> candidates;
  Tentative<T, Host> tentative;

  Coarsening(CsrMatrix<T, Host> matrix, Index block_size_, Index k, double threshold)
      : block_size(block_size_), A(std::move(matrix)) {
    const auto nodes = amalgamate(ctx, A, block_size);
    Buffer<T, Host> d(ctx, static_cast<std::size_t>(nodes.rows));
    extract_diagonal<T>(ctx, nodes, d);
    strong = strength_graph<T>(ctx, nodes, d, threshold);
    aggregates = aggregate(ctx, strong);
    candidates = FatVector<T, Host>(ctx, A.rows, k);
    const auto random = reference::random_values<T>(candidates.size(), 21);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      // The constant first, as every scalar problem has it.
      candidates.data()[i] = i % static_cast<std::size_t>(k) == 0 ? T{1} : random[i];
    }
    tentative = tentative_prolongator<T>(ctx, aggregates, block_size, std::as_const(candidates));
  }
};

template <class T>
Coarsening<T> grid_coarsening(Index k, double threshold = 0.0) {
  Context<Host> ctx;
  return {generate_matrix<T>(ctx, reference::poisson(reference::grid({24, 17}), Discretization::q1)), 1, k, threshold};
}

template <class Instance>
class Prolongator : public ::testing::Test {};
TYPED_TEST_SUITE(Prolongator, reference::HostInstances, reference::InstanceNames);

TYPED_TEST(Prolongator, TentativeIsOrthonormalAndReproducesTheCandidates) {
  using T = typename TypeParam::Value;
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  for (const Index k : {1, 2, 3}) {
    Coarsening<T> c = grid_coarsening<T>(k);
    const DenseMatrix P = reference::to_dense(tentative_to_csr(c.ctx, c.aggregates, c.block_size, c.tentative));
    ASSERT_EQ(P.cols, c.aggregates.count * k);
    const DenseMatrix gram = reference::multiply(reference::transpose(P), P);
    for (Index i = 0; i < P.cols; ++i) {
      for (Index j = 0; j < P.cols; ++j) {
        // Aggregates have some ten rows; twice-orthogonalised columns are orthonormal to their rounding.
        EXPECT_NEAR(gram(i, j), i == j ? 1.0 : 0.0, 100 * epsilon) << i << ", " << j;
      }
    }
    for (Index i = 0; i < P.rows; ++i) {
      for (Index q = 0; q < k; ++q) {
        double sum = 0.0;
        for (Index j = 0; j < P.cols; ++j) {
          sum += P(i, j) * static_cast<double>(c.tentative.coarse_candidates.data()[j * k + q]);
        }
        EXPECT_NEAR(sum, static_cast<double>(c.candidates.data()[i * k + q]), 100 * epsilon);
      }
    }
  }
}

TYPED_TEST(Prolongator, TentativeOfTheConstantIsAPartitionOfUnity) {
  using T = typename TypeParam::Value;
  Coarsening<T> c = grid_coarsening<T>(1);
  const auto P = tentative_to_csr(c.ctx, c.aggregates, 1, c.tentative);
  std::vector<int> size(static_cast<std::size_t>(c.aggregates.count));
  for (const Index a : c.aggregates.of_node.span()) {
    ++size[static_cast<std::size_t>(a)];
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(P.rows); ++i) {
    ASSERT_EQ(P.row_offsets[i + 1] - P.row_offsets[i], 1);
    const auto a = static_cast<std::size_t>(P.col_indices[i]);
    EXPECT_NEAR(static_cast<double>(P.values[i]) * std::sqrt(size[a]), 1.0, 20 * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(Prolongator, DependentCandidatesGetZeroColumns) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  // Two aggregates of one pair each; three candidates cannot be independent on two rows.
  Coarsening<T> c(
      reference::matrix_from_entries<T>(
          ctx, 4, 4, {{0, 0, 2}, {0, 1, -1}, {1, 0, -1}, {1, 1, 2}, {2, 2, 2}, {2, 3, -1}, {3, 2, -1}, {3, 3, 2}}),
      1, 3, 0.0);
  ASSERT_EQ(c.aggregates.count, 2);
  const DenseMatrix P = reference::to_dense(tentative_to_csr(c.ctx, c.aggregates, 1, c.tentative));
  const DenseMatrix gram = reference::multiply(reference::transpose(P), P);
  for (Index a = 0; a < 2; ++a) {
    EXPECT_NEAR(gram(3 * a, 3 * a), 1.0, 1e-5);
    EXPECT_NEAR(gram(3 * a + 1, 3 * a + 1), 1.0, 1e-5);
    EXPECT_EQ(gram(3 * a + 2, 3 * a + 2), 0.0);
  }
}

/// (I − ω D_F⁻¹ A_F) T by dense products.
template <class T>
DenseMatrix naive_smoothed(const Coarsening<T>& c, bool filter, double omega) {
  Context<Host> ctx;
  DenseMatrix A = reference::to_dense(c.A);
  const DenseMatrix P = reference::to_dense(tentative_to_csr(ctx, c.aggregates, c.block_size, c.tentative));
  if (filter) {
    for (Index i = 0; i < A.rows; ++i) {
      const auto node = static_cast<std::size_t>(i / c.block_size);
      const Index* begin = c.strong.col_indices.data() + c.strong.row_offsets[node];
      const Index* end = c.strong.col_indices.data() + c.strong.row_offsets[node + 1];
      for (Index j = 0; j < A.cols; ++j) {
        const Index other = j / c.block_size;
        if (other != i / c.block_size && !std::binary_search(begin, end, other)) {
          A(i, i) += A(i, j);
          A(i, j) = 0.0;
        }
      }
    }
  }
  const DenseMatrix AT = reference::multiply(A, P);
  DenseMatrix result(P.rows, P.cols);
  for (Index i = 0; i < P.rows; ++i) {
    for (Index j = 0; j < P.cols; ++j) {
      result(i, j) = P(i, j) - omega / A(i, i) * AT(i, j);
    }
  }
  return result;
}

template <class T>
void expect_matches(const CsrMatrix<T, Host>& P, const DenseMatrix& expected) {
  const DenseMatrix dense = reference::to_dense(P);
  ASSERT_EQ(P.cols, expected.cols);
  for (Index i = 0; i < P.rows; ++i) {
    for (Index j = 0; j < P.cols; ++j) {
      // Rows of at most some thirty entries of magnitude one.
      ASSERT_NEAR(dense(i, j), expected(i, j), 100 * std::numeric_limits<T>::epsilon()) << i << ", " << j;
    }
  }
}

TYPED_TEST(Prolongator, SmoothedMatchesTheDenseFormula) {
  using T = typename TypeParam::Value;
  for (const Index k : {1, 3}) {
    Coarsening<T> c = grid_coarsening<T>(k);
    const auto P = smoothed_prolongator<T>(c.ctx, c.A, nullptr, c.aggregates, 1, c.tentative, T(0.6));
    check_structure<T>(c.ctx, P);
    expect_matches(P, naive_smoothed(c, false, 0.6));
  }
}

TYPED_TEST(Prolongator, SmoothedDropsWeakConnectionsOntoTheDiagonal) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  GeneratedProblem problem = reference::poisson(reference::grid({15, 14}), Discretization::q1);
  problem.pde = Pde::diffusion;
  problem.anisotropy = {.epsilon = 1e-3, .angle = 30.0};
  for (const Index k : {1, 2}) {
    Coarsening<T> c(generate_matrix<T>(ctx, problem), 1, k, 0.1);
    ASSERT_LT(c.strong.col_indices.size() + static_cast<std::size_t>(c.A.rows), static_cast<std::size_t>(c.A.nnz()));
    const auto P = smoothed_prolongator<T>(c.ctx, c.A, &c.strong, c.aggregates, 1, c.tentative, T(0.6));
    expect_matches(P, naive_smoothed(c, true, 0.6));
  }
}

TYPED_TEST(Prolongator, SmoothedOfBlocks) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  Coarsening<T> c(reference::random_spd_matrix<T>(ctx, 3 * 50, 4, 8), 3, 3, 0.0);
  const auto P = smoothed_prolongator<T>(c.ctx, c.A, nullptr, c.aggregates, 3, c.tentative, T(0.5));
  check_structure<T>(c.ctx, P);
  expect_matches(P, naive_smoothed(c, false, 0.5));
}

TYPED_TEST(Prolongator, InteriorRowsKeepTheConstant) {
  using T = typename TypeParam::Value;
  Coarsening<T> c = grid_coarsening<T>(1);
  const auto P = smoothed_prolongator<T>(c.ctx, c.A, nullptr, c.aggregates, 1, c.tentative, T(0.6));
  // A row of A that sums to zero leaves the constant alone: P B_c = B there.
  for (Index i = 0; i < P.rows; ++i) {
    const Index x = i % 24;
    const Index y = i / 24;
    if (x == 0 || y == 0 || x == 23 || y == 16) {
      continue;
    }
    double sum = 0.0;
    for (auto k = static_cast<std::size_t>(P.row_offsets[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(P.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
      sum += static_cast<double>(P.values[k]) *
             static_cast<double>(c.tentative.coarse_candidates.data()[P.col_indices[k]]);
    }
    EXPECT_NEAR(sum, 1.0, 100 * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(Prolongator, SpectralRadiusIsWithinAFewPercentFromBelow) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  const auto A = generate_matrix<T>(ctx, reference::poisson(reference::grid({40, 40}), Discretization::fd));
  Buffer<T, Host> d(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, d);
  // Eigenvalues of D⁻¹A: (sin²(iπ/2(n+1)) + sin²(jπ/2(n+1))); the largest at i = j = n.
  const double root = std::sin(40.0 * M_PI / (2.0 * 41.0));
  const double exact = 2.0 * root * root;
  const double estimate = spectral_radius<T, Host>(ctx, A, d, 10);
  EXPECT_LT(estimate, exact * (1 + 1e-5));
  EXPECT_GT(estimate, 0.95 * exact);
  // With as many steps as distinct eigenvalues are visible the estimate is exact to rounding.
  EXPECT_NEAR((spectral_radius<T, Host>(ctx, A, d, 100)), exact, 1e-4 * exact);
}

}  // namespace
}  // namespace amgsolve
