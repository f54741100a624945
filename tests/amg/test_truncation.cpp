#include "amg/truncation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/hash.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::DenseMatrix;

template <class I>
class TruncationTest : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(TruncationTest, reference::Instances, reference::InstanceNames);

TYPED_TEST(TruncationTest, KeepsTheCandidate) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto P = reference::matrix_from_entries<T>(host, 5, 3,
                                                   {{0, 0, 1.0},
                                                    {0, 1, 0.25},
                                                    {0, 2, 0.5},
                                                    {1, 0, -2.0},
                                                    {1, 1, -0.25},
                                                    {2, 0, 1.0},
                                                    {2, 1, 0.25},
                                                    {2, 2, -1.0},
                                                    {4, 0, 1.0},
                                                    {4, 1, 0.35},
                                                    {4, 2, 0.375}});
  const Buffer<T, S> candidate = reference::upload_buffer<T>(ctx, {T{1}, T{1.25}, T{1}});
  const DenseMatrix result = reference::to_dense(reference::download(
      ctx, truncate_prolongator(ctx, reference::upload(ctx, borrow(P)), {candidate.data(), 3}, 0.4)));
  constexpr double epsilon = 4 * std::numeric_limits<T>::epsilon();
  // 1 + 0.3125 + 0.5 by two entries that sum to 1.5.
  EXPECT_NEAR(result(0, 0), 1.0 * 1.8125 / 1.5, epsilon);
  EXPECT_EQ(result(0, 1), 0.0);
  EXPECT_NEAR(result(0, 2), 0.5 * 1.8125 / 1.5, epsilon);
  EXPECT_NEAR(result(1, 0), -2.3125, epsilon);
  // What would stay sums to zero: the row stays whole.
  EXPECT_EQ(result(2, 0), 1.0);
  EXPECT_EQ(result(2, 1), 0.25);
  EXPECT_EQ(result(2, 2), -1.0);
  // An entry counts as its part of P B_c: 0.35 · 1.25 is more than 0.375.
  EXPECT_GT(result(4, 1), 0.35);
  EXPECT_EQ(result(4, 2), 0.0);
  EXPECT_THROW(truncate_prolongator(ctx, reference::upload(ctx, borrow(P)), {candidate.data(), 2}, 0.4),
               std::invalid_argument);
}

/// In [−1, 1].
double noise(Index seed, Index i, Index j) {
  const std::uint64_t bits = hash64((static_cast<std::uint64_t>(seed) << 40U) + (static_cast<std::uint64_t>(i) << 20U) +
                                    static_cast<std::uint64_t>(j));
  return static_cast<double>(bits >> 11U) * 0x1p-52 - 1.0;
}

/// A prolongator with k candidates, of which all parts of P B_c are near multiples of one k × k matrix of full rank,
/// and what it makes of them.
struct Blocks {
  Index k;
  Index nodes = 40;
  Index aggregates = 9;
  Eigen::MatrixXd P;
  Eigen::MatrixXd B;

  /// @param spread  how far parts are from those multiples
  Blocks(Index candidates, double spread) : k(candidates) {
    P = Eigen::MatrixXd::Zero(nodes * k, aggregates * k);
    B = Eigen::MatrixXd::Zero(aggregates * k, k);
    for (Index J = 0; J < aggregates; ++J) {
      block(B, J, 0) = Eigen::MatrixXd::Identity(k, k) * (2.0 + 0.2 * J) + random(1, J, 0) * 0.2;
    }
    for (Index I = 0; I < nodes; ++I) {
      for (Index J = 0; J < aggregates; ++J) {
        const double size = (I * 7 + J * 5) % 11 * 0.1;  // of every eleventh block nothing
        block(P, I, J) = size * (Eigen::MatrixXd::Identity(k, k) + spread * random(2, I, J));
      }
    }
  }

  Eigen::Block<Eigen::MatrixXd> block(Eigen::MatrixXd& M, Index I, Index J) const {
    return M.block(I * k, J * k, k, k);
  }
  Eigen::MatrixXd random(Index seed, Index I, Index J) const {
    return Eigen::MatrixXd::NullaryExpr(k, k, [&](Eigen::Index r, Eigen::Index c) {
      return noise(seed, I * k + static_cast<Index>(r), J * k + static_cast<Index>(c));
    });
  }

  template <class T>
  CsrMatrix<T, Host> matrix(Context<Host>& host) const {
    std::vector<reference::Entry> entries;
    for (Index i = 0; i < P.rows(); ++i) {
      for (Index j = 0; j < P.cols(); ++j) {
        if (P(i, j) != 0.0) {
          entries.push_back({i, j, P(i, j)});
        }
      }
    }
    return reference::matrix_from_entries<T>(host, static_cast<Index>(P.rows()), static_cast<Index>(P.cols()), entries);
  }

  template <class T, MemorySpace S>
  MultiVector<T, S> candidates(Context<S>& ctx) const {
    const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values = B.cast<T>();
    return reference::upload(ctx, std::vector<T>(values.data(), values.data() + values.size()), k);
  }

  /// The naive truncation.
  Eigen::MatrixXd truncated(double tolerance) {
    Eigen::MatrixXd result = P;
    for (Index I = 0; I < nodes; ++I) {
      const auto size = [&](Index J) -> Eigen::RowVectorXd {
        return (block(P, I, J) * block(B, J, 0)).cwiseAbs().colwise().sum();
      };
      Eigen::RowVectorXd largest = Eigen::RowVectorXd::Zero(k);
      for (Index J = 0; J < aggregates; ++J) {
        largest = largest.cwiseMax(size(J));
      }
      Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(k, k);
      Eigen::MatrixXd kept = whole;
      Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(k, aggregates * k);
      for (Index J = 0; J < aggregates; ++J) {
        const Eigen::MatrixXd part = block(P, I, J) * block(B, J, 0);
        whole += part;
        if ((size(J).array() >= tolerance * largest.array()).any() && part.norm() > 0.0) {
          kept += part;
          rows.middleCols(J * k, k) = block(P, I, J);
        }
      }
      const Eigen::MatrixXd X = whole * kept.inverse();
      const bool is_small = X.cwiseAbs().rowwise().sum().maxCoeff() <= 4.0 || tolerance == 1.0;
      if (X.diagonal().minCoeff() > 0.0 && is_small) {
        result.middleRows(I * k, k) = X * rows;
      }
    }
    return result;
  }
};

TYPED_TEST(TruncationTest, OfSeveralCandidatesIsByBlocks) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const Index k : {2, 3, 6}) {
    for (const double tolerance : {0.3, 0.6, 1.0}) {
      Blocks blocks(k, 0.3 / k);
      const auto P = reference::upload(ctx, blocks.matrix<T>(host));
      const auto B = blocks.candidates<T>(ctx);
      const Eigen::MatrixXd expected = blocks.truncated(tolerance);
      const CsrMatrix<T, S> result = truncate_prolongator<T>(ctx, P, B.view(), tolerance);
      const auto here = reference::download(ctx, borrow(result));
      const DenseMatrix dense = reference::to_dense(here);
      Offset expected_entries = 0;
      Eigen::MatrixXd product = Eigen::MatrixXd::Zero(expected.rows(), k);
      for (Index i = 0; i < expected.rows(); ++i) {
        for (Index j = 0; j < expected.cols(); ++j) {
          EXPECT_NEAR(dense(i, j), expected(i, j), 1000.0 * k * std::numeric_limits<T>::epsilon()) << i << ", " << j;
          expected_entries += expected(i, j) != 0.0 ? 1 : 0;
          product.row(i) += dense(i, j) * blocks.B.row(j);
        }
      }
      EXPECT_EQ(here.nnz(), expected_entries);
      EXPECT_LT(here.nnz(), P.nnz());
      EXPECT_LT((product - blocks.P * blocks.B).cwiseAbs().maxCoeff(), 1e4 * k * std::numeric_limits<T>::epsilon());

      // New values in that pattern: the same bits of the same ones.
      CsrMatrix<T, S> again = borrow(result);
      again.values = Buffer<T, S>(ctx, static_cast<std::size_t>(result.nnz()));
      refill_truncated_prolongator<T>(ctx, P, B.view(), tolerance, again);
      EXPECT_EQ(reference::download(ctx, std::as_const(again.values).span()),
                reference::download(ctx, result.values.span()));
    }
  }
}

TYPED_TEST(TruncationTest, LeavesANodeWholeWhoseBlocksWouldGrow) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  // Candidates that are 1 for each of two unknowns of an aggregate. What stays of node 0 is 1 of 3.625, of node 1 1 of
  // 4.5, of node 2, whose second unknown would turn its sign, 1 of −0.75, of node 3 one block of two.
  std::vector<reference::Entry> entries;
  const auto add = [&](Index node, Index J, double first, double second) {
    entries.push_back({2 * node, 2 * J, first});
    entries.push_back({2 * node + 1, 2 * J + 1, second});
  };
  for (Index J = 0; J < 8; ++J) {
    add(0, J, J == 0 ? 1.0 : 0.375, J == 0 ? 1.0 : 0.375);
    add(1, J, J == 0 ? 1.0 : 0.5, J == 0 ? 1.0 : 0.5);
    add(2, J, J == 0 ? 1.0 : 0.25, J == 0 ? 1.0 : -0.25);
  }
  add(3, 0, 1.0, 1.0);
  add(3, 1, 0.25, 0.5);
  const auto P = reference::upload(ctx, reference::matrix_from_entries<T>(host, 8, 16, entries));
  std::vector<T> ones(32, T(0));
  for (std::size_t J = 0; J < 8; ++J) {
    ones[4 * J] = ones[4 * J + 3] = T(1);
  }
  const auto B = reference::upload(ctx, ones, 2);
  const auto result = reference::download(ctx, truncate_prolongator<T>(ctx, P, B.view(), 0.6));
  const DenseMatrix dense = reference::to_dense(result);
  const auto entries_of = [&](Index node) {
    return result.row_offsets[static_cast<std::size_t>(2 * node) + 1] -
           result.row_offsets[static_cast<std::size_t>(2 * node)];
  };
  EXPECT_EQ(entries_of(0), 2);  // 3.625 times as large, which may be
  EXPECT_EQ(dense(0, 0), 3.625);
  EXPECT_EQ(dense(0, 1), 0.0);
  EXPECT_EQ(entries_of(1), 16);  // 4.5 times
  EXPECT_EQ(dense(2, 0), 1.0);
  EXPECT_EQ(dense(2, 14), 0.5);
  EXPECT_EQ(entries_of(2), 16);
  EXPECT_EQ(dense(5, 1), 1.0);
  EXPECT_EQ(entries_of(3), 2);
  EXPECT_EQ(dense(6, 0), 1.25);
  EXPECT_EQ(dense(7, 1), 1.5);
  // Where the largest block alone stays, its size does not matter; a sign does.
  const auto largest = reference::download(ctx, truncate_prolongator<T>(ctx, P, B.view(), 1.0));
  EXPECT_EQ(reference::to_dense(largest)(2, 0), 4.5);
  EXPECT_EQ(reference::to_dense(largest)(5, 1), 1.0);
  EXPECT_EQ(reference::to_dense(largest)(5, 15), -0.25);
}

TYPED_TEST(TruncationTest, KeepsCandidatesThatSomeAggregatesLack) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  // The second candidate is zero on aggregates 0 and 1. Node 0 has it from aggregate 2 alone, though by a small block,
  // node 1 from none.
  const auto P = reference::upload(
      ctx, reference::matrix_from_entries<T>(
               host, 4, 6, {{0, 0, 1.0}, {0, 2, 0.125}, {1, 5, 0.0625}, {2, 0, 1.0}, {2, 2, 0.125}, {3, 1, 0.5}}));
  const auto B = reference::upload<T>(ctx, {T(1), T(0), T(0), T(0), T(1), T(0), T(0), T(0), T(1), T(0), T(0), T(1)}, 2);
  const DenseMatrix dense =
      reference::to_dense(reference::download(ctx, truncate_prolongator<T>(ctx, P, B.view(), 0.5)));
  EXPECT_EQ(dense(0, 0), 1.125);
  EXPECT_EQ(dense(0, 2), 0.0);
  EXPECT_EQ(dense(1, 5), 0.0625);
  EXPECT_EQ(dense(2, 0), 1.125);
  EXPECT_EQ(dense(2, 2), 0.0);
  EXPECT_EQ(dense(3, 1), 0.5);
}

TYPED_TEST(TruncationTest, KeepsCandidatesOfTurnedUnknownsAndOfAnyUnits) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  constexpr double small = 0x1p-40;  // beside 1: less than rounding errors leave
  std::vector<reference::Entry> entries;
  const auto add = [&](Index node, Index J, std::array<double, 4> block) {
    for (Index e = 0; e < 4; ++e) {
      entries.push_back({2 * node + e / 2, 2 * J + e % 2, block[static_cast<std::size_t>(e)]});
    }
  };
  // A block of each node stays, and a quarter of it is dropped: of unknowns that are turned, of a second one in large
  // units, and of two that are alike but for rounding errors. Of node 3 what is dropped is all of the second unknown.
  const std::array<std::array<double, 4>, 3> stays = {
      {{0.0, 1.0, -1.0, 0.0}, {1.0, 1.0, 0.0, small}, {0.1, 0.07, 0.7, 0.49}}};
  for (Index node = 0; node < 3; ++node) {
    std::array<double, 4> block = stays[static_cast<std::size_t>(node)];
    add(node, 0, block);
    std::ranges::transform(block, block.begin(), [](double entry) { return entry / 4; });
    add(node, 1, block);
  }
  add(3, 0, {1.0, 1.0, 0.0, 0.0});
  add(3, 1, {0.0, 0.0, 0.125, 0.0});
  const auto P = reference::upload(ctx, reference::matrix_from_entries<T>(host, 8, 4, entries));
  const auto B = reference::upload<T>(ctx, {T(1), T(0), T(0), T(1), T(1), T(0), T(0), T(1)}, 2);
  const DenseMatrix dense =
      reference::to_dense(reference::download(ctx, truncate_prolongator<T>(ctx, P, B.view(), 0.5)));
  for (Index node = 0; node < 3; ++node) {
    for (Index e = 0; e < 4; ++e) {
      const double whole = 1.25 * stays[static_cast<std::size_t>(node)][static_cast<std::size_t>(e)];
      EXPECT_NEAR(dense(2 * node + e / 2, e % 2), whole, 8 * std::numeric_limits<T>::epsilon() * std::fabs(whole));
      EXPECT_EQ(dense(2 * node + e / 2, 2 + e % 2), 0.0) << node;
    }
  }
  EXPECT_EQ(dense(6, 0), 1.0);
  EXPECT_EQ(dense(7, 2), 0.125);
}

TYPED_TEST(TruncationTest, RefusesSizesThatDoNotMatch) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto P = reference::upload(ctx, reference::matrix_from_entries<T>(host, 14, 14, {{0, 0, 1.0}}));
  for (const auto& [rows, columns] : {std::pair<Index, Index>{13, 1}, {14, 3}, {14, 7}}) {
    const MultiVector<T, S> B(ctx, rows, columns);
    EXPECT_THROW(truncate_prolongator<T>(ctx, P, B.view(), 0.5), std::invalid_argument) << rows << ", " << columns;
  }
}

}  // namespace
}  // namespace amgsolve
