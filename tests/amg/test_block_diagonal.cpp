#include "amg/block_diagonal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

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

template <class I>
class BlocksOnTheDiagonal : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(BlocksOnTheDiagonal, reference::Instances, reference::InstanceNames);

/// Block `node` of A.
DenseMatrix block_of(const DenseMatrix& A, Index node, Index k) {
  DenseMatrix block(k, k);
  for (Index r = 0; r < k; ++r) {
    for (Index c = 0; c < k; ++c) {
      block(r, c) = A(node * k + r, node * k + c);
    }
  }
  return block;
}

template <class T, MemorySpace S>
DenseMatrix inverse_of(Context<S>& ctx, const BlockDiagonal<T, S>& D, Index node) {
  const std::vector<T> values = reference::download(ctx, D.inverse.span());
  const Index k = D.block_size;
  DenseMatrix block(k, k);
  std::copy_n(values.begin() + std::ptrdiff_t{node} * k * k, k * k, block.values.begin());
  return block;
}

double largest(const DenseMatrix& A) {
  double result = 0.0;
  for (const double value : A.values) {
    result = std::max(result, std::abs(value));
  }
  return result;
}

void expect_close(const DenseMatrix& A, const DenseMatrix& B, double bound) {
  for (std::size_t i = 0; i < A.values.size(); ++i) {
    ASSERT_NEAR(A.values[i], B.values[i], bound);
  }
}

TYPED_TEST(BlocksOnTheDiagonal, AreInverted) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const Index k : {1, 2, 3, 6, 64}) {
    SCOPED_TRACE(::testing::Message() << k << " unknowns a node");
    const Index nodes = 20;
    const auto A = reference::random_spd_matrix<T>(host, nodes * k, 8, static_cast<unsigned>(k));
    const DenseMatrix dense = reference::to_dense(A);
    for (const bool add_l1 : {false, true}) {
      const auto D = invert_diagonal_blocks(ctx, reference::upload(ctx, borrow(A)), k, add_l1);
      for (Index node = 0; node < nodes; ++node) {
        DenseMatrix block = block_of(dense, node, k);
        for (Index r = 0; add_l1 && r < k; ++r) {
          for (Index j = 0; j < A.cols; ++j) {
            block(r, r) += j / k == node ? 0.0 : std::abs(dense(node * k + r, j));
          }
        }
        DenseMatrix unit(k, k);
        for (Index r = 0; r < k; ++r) {
          unit(r, r) = 1.0;
        }
        const DenseMatrix inverse = inverse_of(ctx, D, node);
        // Gauss-Jordan on a diagonally dominant block; its entries are below 20, its inverse's below 1.
        const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
        expect_close(multiply(inverse, block), unit, 8.0 * k * k * epsilon * largest(block) * largest(inverse));
      }
    }
  }
}

TYPED_TEST(BlocksOnTheDiagonal, HaveAGeneralisedInverseWhereTheyAreSingular) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // Of rank 2 (the last row is the sum of the others), 0 and 1.
  const auto A = reference::matrix_from_entries<T>(host, 9, 9,
                                                   {{0, 0, 2},
                                                    {0, 1, 1},
                                                    {0, 2, 3},
                                                    {1, 0, 1},
                                                    {1, 1, 5},
                                                    {1, 2, 6},
                                                    {2, 0, 3},
                                                    {2, 1, 6},
                                                    {2, 2, 9},
                                                    {6, 6, 1},
                                                    {6, 7, 0.1},
                                                    {6, 8, -3},
                                                    {7, 6, 0.1},
                                                    {7, 7, 0.01},
                                                    {7, 8, -0.3},
                                                    {8, 6, -3},
                                                    {8, 7, -0.3},
                                                    {8, 8, 9}});
  const auto D = invert_diagonal_blocks(ctx, reference::upload(ctx, borrow(A)), 3, false);
  const DenseMatrix dense = reference::to_dense(A);
  for (const Index node : {0, 1, 2}) {
    const DenseMatrix block = block_of(dense, node, 3);
    const DenseMatrix inverse = inverse_of(ctx, D, node);
    EXPECT_LE(largest(inverse), 5.0) << "nothing is divided by what rounding left";
    const double bound = 200.0 * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest(block);
    expect_close(multiply(multiply(block, inverse), block), block, bound * (1.0 + largest(block)));
    expect_close(transpose(inverse), inverse, bound);
  }
}

TYPED_TEST(BlocksOnTheDiagonal, TellWhatIsLeftOfADiagonalEntryWithoutTheOthers) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  // The second node's [4, 3c; 3c, 9/4] is scaled [1, c; c, 1]; columns begin with a ghost, and what is outside of the
  // blocks does not count.
  const auto part_for = [&](double c) {
    const auto A = reference::matrix_from_entries<T>(host, 4, 6,
                                                     {{0, 0, -1},
                                                      {0, 1, 2},
                                                      {1, 2, 5},
                                                      {1, 4, -7},
                                                      {2, 3, 4},
                                                      {2, 4, 3 * c},
                                                      {3, 3, 3 * c},
                                                      {3, 4, 2.25},
                                                      {3, 5, -1}});
    const auto there = reference::upload(ctx, borrow(A));
    return least_part_left(ctx, there, invert_diagonal_blocks(ctx, there, 2, false, 1), 1);
  };
  EXPECT_NEAR(part_for(0.0), 1.0, 8.0 * epsilon);
  EXPECT_NEAR(part_for(0.5), 0.75, 8.0 * epsilon);
  EXPECT_NEAR(part_for(0.99), 1.0 - 0.99 * 0.99, 8.0 * epsilon);
  EXPECT_NEAR(part_for(1.0), 1.0, 8.0 * epsilon) << "of a singular block, what is inverted of it";
  EXPECT_EQ(part_for(1.5), 0.0) << "not definite";
}

// A pivot vanishes beside what stood in its own place, whatever the size of the others.
TYPED_TEST(BlocksOnTheDiagonal, AreInvertedWhateverTheirSize) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const double size : {1e-25, 1.0, 1e25}) {
    const auto A = reference::matrix_from_entries<T>(
        host, 3, 3, {{0, 0, size}, {0, 1, size}, {1, 0, size}, {1, 1, size}, {2, 2, size}});
    const auto D = invert_diagonal_blocks(ctx, reference::upload(ctx, borrow(A)), 3, false);
    const DenseMatrix inverse = inverse_of(ctx, D, 0);
    EXPECT_NEAR(inverse(0, 0) * size, 1.0, 1e-6);
    EXPECT_EQ(inverse(1, 1), 0.0);
    EXPECT_NEAR(inverse(2, 2) * size, 1.0, 1e-6);
  }
}

TYPED_TEST(BlocksOnTheDiagonal, MultiplyMultiVectors) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const Index k = 3;
  const auto A = reference::random_spd_matrix<T>(host, 300, 6, 4);
  const auto D = invert_diagonal_blocks(ctx, reference::upload(ctx, borrow(A)), k, false);
  const std::vector<T> inverse = reference::download(ctx, D.inverse.span());
  for (const Index columns : {1, 2, 5}) {
    const auto X = reference::random_values<T>(static_cast<std::size_t>(A.rows * columns), 1);
    for (const T beta : {T{0}, T(0.5)}) {
      const auto before = beta == T{0} ? std::vector<T>(X.size(), std::numeric_limits<T>::quiet_NaN())
                                       : reference::random_values<T>(X.size(), 2);
      auto Y = reference::upload(ctx, before, columns);
      apply_blocks(ctx, T(0.7), D, reference::upload(ctx, X, columns), beta, Y);
      const std::vector<T> result = reference::download(ctx, Y);
      for (Index i = 0; i < A.rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
          double expected = 0.0;
          for (Index c = 0; c < k; ++c) {
            expected += static_cast<double>(inverse[static_cast<std::size_t>(i * k + c)]) *
                        static_cast<double>(X[static_cast<std::size_t>((i - i % k + c) * columns + j)]);
          }
          const auto place = static_cast<std::size_t>(i * columns + j);
          expected =
              static_cast<double>(T(0.7)) * expected + (beta == T{0} ? 0.0 : 0.5 * static_cast<double>(before[place]));
          ASSERT_NEAR(result[place], expected, 8.0 * static_cast<double>(std::numeric_limits<T>::epsilon()));
        }
      }
    }
  }
}

TYPED_TEST(BlocksOnTheDiagonal, TellTheSpectralRadius) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto operator_of = [&](const CsrMatrix<T, typename TypeParam::Space>& A) {
    return Operator<T, typename TypeParam::Space>(ctx, borrow(A), Storage::csr);
  };
  // Blocks of one unknown are the diagonal: the same steps, rounded otherwise.
  const auto plain = reference::upload(
      ctx, generate_matrix<T>(host, reference::poisson(reference::grid({40, 40}), Discretization::fd)));
  Buffer<T, typename TypeParam::Space> d(ctx, static_cast<std::size_t>(plain.rows));
  extract_diagonal<T>(ctx, plain, d);
  const double by_diagonal = spectral_radius<T, typename TypeParam::Space>(ctx, plain, d, 10);
  EXPECT_NEAR(spectral_radius(ctx, operator_of(plain), invert_diagonal_blocks(ctx, plain, 1, false), 10), by_diagonal,
              1e-4 * by_diagonal);
  // I ⊗ B + C ⊗ B with tridiagonal C of 0 and −1/4: D_B⁻¹A has the eigenvalues of I + C, whatever B is.
  const Index nodes = 50;
  std::vector<reference::Entry> entries;
  const double B[2][2] = {{3.0, 2.9}, {2.9, 3.0}};
  for (Index node = 0; node < nodes; ++node) {
    for (const Index other : {node - 1, node, node + 1}) {
      for (Index r = 0; other >= 0 && other < nodes && r < 2; ++r) {
        for (Index c = 0; c < 2; ++c) {
          entries.push_back({2 * node + r, 2 * other + c, (other == node ? 1.0 : -0.25) * B[r][c]});
        }
      }
    }
  }
  const auto A = reference::upload(ctx, reference::matrix_from_entries<T>(host, 2 * nodes, 2 * nodes, entries));
  const double rho = spectral_radius(ctx, operator_of(A), invert_diagonal_blocks(ctx, A, 2, false), 20);
  EXPECT_LT(rho, 1.5 * (1.0 + 1e-4));
  EXPECT_GT(rho, 1.5 * 0.95);
}

}  // namespace
}  // namespace amgsolve
