#include "amg/strength.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "amg/amalgamation.hpp"
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
using reference::graph_of;

template <class I>
class Strength : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Strength, reference::Instances, reference::InstanceNames);

TYPED_TEST(Strength, KeepsWhatTheSymmetricMeasureCallsStrong) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::random_spd_matrix<T>(host, 60, 6, 3);
  const auto A_there = reference::upload(ctx, borrow(A));
  const DenseMatrix dense = reference::to_dense(A);
  for (const double theta : {0.0, 0.05, 0.25}) {
    const Graph<Host> graph = reference::download(ctx, host, graph_of(ctx, A_there, theta));
    for (Index i = 0; i < A.rows; ++i) {
      std::vector<Index> expected;
      for (Index j = 0; j < A.rows; ++j) {
        if (i != j && std::abs(dense(i, j)) > theta * std::sqrt(dense(i, i) * dense(j, j))) {
          expected.push_back(j);
        }
      }
      const auto row = static_cast<std::size_t>(i);
      const std::vector<Index> kept(graph.col_indices.data() + graph.row_offsets[row],
                                    graph.col_indices.data() + graph.row_offsets[row + 1]);
      EXPECT_EQ(kept, expected) << "row " << i << ", threshold " << theta;
    }
  }
}

TYPED_TEST(Strength, DropsStoredZeros) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(
      ctx, generate_matrix<T>(host, reference::poisson(reference::grid({5, 5, 5}), Discretization::q1)));
  const Graph<Host> graph = reference::download(ctx, host, graph_of(ctx, A));
  // Of the 26 neighbours of the centre the 6 across faces have the value 0.
  EXPECT_EQ(graph.row_offsets[63] - graph.row_offsets[62], 20);
}

/// Full blocks of random values, up to 40 a row, but that the second row of every fifth node lacks an entry.
template <class T>
CsrMatrix<T, Host> matrix_of_full_blocks(Context<Host>& ctx, Index nodes, Index b) {
  const CsrMatrix<T, Host> pattern = reference::random_spd_matrix<T>(ctx, nodes, 12, 5);
  const auto values = reference::random_values<double>(static_cast<std::size_t>(pattern.nnz() * b * b), 3);
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < nodes * b; ++i) {
    const auto first = static_cast<std::size_t>(pattern.row_offsets[static_cast<std::size_t>(i / b)]);
    const auto last = static_cast<std::size_t>(pattern.row_offsets[static_cast<std::size_t>(i / b) + 1]);
    for (std::size_t k = first; k < last; ++k) {
      for (Index c = 0; c < b; ++c) {
        if (i % (5 * b) != 1 || k > first || c < b - 1) {
          entries.push_back({i, pattern.col_indices[k] * b + c, values[entries.size()]});
        }
      }
    }
  }
  return reference::matrix_from_entries<T>(ctx, nodes * b, nodes * b, entries);
}

TYPED_TEST(Strength, AmalgamatesBlocksToTheirNorms) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  constexpr Index nodes = 40;
  const auto expect_norms = [&](const CsrMatrix<T, Host>& A, Index b) {
    const DenseMatrix dense = reference::to_dense(A);
    const auto norms = reference::download(ctx, amalgamate(ctx, reference::upload(ctx, borrow(A)), b));
    check_structure<T>(host, norms);
    const DenseMatrix dense_norms = reference::to_dense(norms);
    ASSERT_EQ(norms.rows, nodes);
    for (Index I = 0; I < nodes; ++I) {
      for (Index J = 0; J < nodes; ++J) {
        double square = 0.0;
        for (Index r = 0; r < b; ++r) {
          for (Index c = 0; c < b; ++c) {
            square += dense(b * I + r, b * J + c) * dense(b * I + r, b * J + c);
          }
        }
        EXPECT_NEAR(dense_norms(I, J), std::sqrt(square), 40 * std::numeric_limits<T>::epsilon() * std::sqrt(square));
      }
    }
  };
  for (const Index b : {2, 3, 6}) {
    SCOPED_TRACE(b);
    expect_norms(reference::random_spd_matrix<T>(host, b * nodes, 7, 11), b);
    expect_norms(matrix_of_full_blocks<T>(host, nodes, b), b);
  }
}

TEST(StrengthThreads, DoNotChangeAmalgamation) {
  Context<Host> one(1);
  Context<Host> three(3);
  const auto A = reference::random_spd_matrix<double>(one, 3 * 10000, 7, 11);
  EXPECT_TRUE(reference::identical(amalgamate(three, A, 3), amalgamate(one, A, 3)));
}

}  // namespace
}  // namespace amgsolve
