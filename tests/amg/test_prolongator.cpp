#include "amg/prolongator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "amg/amalgamation.hpp"
#include "amg/strength.hpp"
#include "amg/tentative_steps.hpp"
#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/coarsening.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"

namespace amgsolve {
namespace {

using reference::DenseMatrix;

/// A matrix with its aggregates on the host, and the prolongators that the space under test makes of them there.
template <class T, MemorySpace S>
struct Coarsening {
  Context<Host> host{2};
  Context<S> ctx;
  Index block_size;
  CsrMatrix<T, Host> A;
  Graph<Host> strong;
  Aggregates<Host> aggregates;
  std::vector<T> candidates;
  Aggregates<S> aggregates_there;
  Tentative<T, S> tentative_there;
  std::vector<T> coarse_candidates;

  Coarsening(CsrMatrix<T, Host> matrix, Index block_size_, Index k, double threshold = 0.0)
      : block_size(block_size_), A(std::move(matrix)) {
    const auto nodes = amalgamate(host, A, block_size);
    Buffer<T, Host> d(host, static_cast<std::size_t>(nodes.rows));
    extract_diagonal<T>(host, nodes, d);
    strong = strength_graph<T>(host, nodes, d, threshold);
    aggregates = aggregate(host, strong);
    candidates = reference::random_values<T>(static_cast<std::size_t>(A.rows * k), 21);
    for (std::size_t i = 0; i < candidates.size(); i += static_cast<std::size_t>(k)) {
      candidates[i] = 1;  // the constant first, as every scalar problem has it
    }
    aggregates_there = reference::upload(ctx, aggregates);
    const MultiVector<T, S> candidates_there = reference::upload(ctx, candidates, k);
    tentative_there = tentative_prolongator<T>(ctx, aggregates_there, block_size, candidates_there);
    coarse_candidates = reference::download(ctx, tentative_there.coarse_candidates);
  }

  CsrMatrix<T, Host> tentative() { return reference::to_csr(ctx, host, aggregates, block_size, tentative_there); }

  CsrMatrix<T, Host> smoothed(bool filter, double omega) {
    const Graph<S> strong_there = reference::upload(ctx, strong);
    auto P = reference::download(
        ctx, smoothed_prolongator<T>(ctx, reference::upload(ctx, borrow(A)), filter ? &strong_there : nullptr,
                                     aggregates_there, block_size, tentative_there, static_cast<T>(omega)));
    check_structure<T>(host, P);
    return P;
  }
};

template <class I>
class Prolongator : public reference::SpaceTest<typename I::Space> {
 protected:
  using CoarseningThere = Coarsening<typename I::Value, typename I::Space>;

  static CoarseningThere coarsening(CsrMatrix<typename I::Value, Host> A, Index block_size, Index k,
                                    double threshold = 0.0) {
    return {std::move(A), block_size, k, threshold};
  }
  CoarseningThere grid_coarsening(Index k) {
    return {
        generate_matrix<typename I::Value>(host_, reference::poisson(reference::grid({24, 17}), Discretization::q1)), 1,
        k};
  }

 private:
  Context<Host> host_;  // outlives the matrices made in it
};
TYPED_TEST_SUITE(Prolongator, reference::Instances, reference::InstanceNames);

TYPED_TEST(Prolongator, TentativeIsOrthonormalAndReproducesTheCandidates) {
  using T = typename TypeParam::Value;
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  for (const Index k : {1, 2, 3}) {
    auto c = this->grid_coarsening(k);
    const DenseMatrix P = reference::to_dense(c.tentative());
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
          sum += P(i, j) * static_cast<double>(c.coarse_candidates[static_cast<std::size_t>(j * k + q)]);
        }
        EXPECT_NEAR(sum, static_cast<double>(c.candidates[static_cast<std::size_t>(i * k + q)]), 100 * epsilon);
      }
    }
  }
}

/// One with many candidates may take longer than anybody waits.
TEST(Tentative, AsksWithinAnAggregateWhetherToGoOn) {
  constexpr Index n = 4000;
  constexpr Index k = 96;
  Context<Host> ctx(1);
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), 0);
  const AggregateNodes<Host> aggregate{reference::upload_buffer(ctx, std::vector<Offset>{0, n}),
                                       reference::upload_buffer(ctx, all)};
  const std::vector<double> candidates = reference::random_values<double>(std::size_t{n} * k, 2);
  const auto basis_of = [&] {
    MultiVector<double, Host> basis = reference::upload(ctx, candidates, k);
    MultiVector<double, Host> coarse_candidates(ctx, k, k);
    detail::orthonormalise<double>(ctx, aggregate, 1, basis, coarse_candidates);
    return basis;
  };
  int asked = 0;
  ctx.set_stop([&] { return ++asked == 3; });
  EXPECT_THROW(basis_of(), InterruptedError);
  // What is done in parts is orthonormal as a whole.
  const MultiVector<double, Host> basis = basis_of();
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t q = 0; q <= p; ++q) {
      double product = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        product += basis.view().data[i * k + p] * basis.view().data[i * k + q];
      }
      ASSERT_NEAR(product, p == q ? 1.0 : 0.0, reference::summation_bound<double>(n, 1.0)) << p << ", " << q;
    }
  }
}

TYPED_TEST(Prolongator, TentativeOfTheConstantIsAPartitionOfUnity) {
  using T = typename TypeParam::Value;
  auto c = this->grid_coarsening(1);
  const auto P = c.tentative();
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
  Context<Host> host;
  // Two aggregates of one pair each; three candidates cannot be independent on two rows.
  auto c = this->coarsening(
      reference::matrix_from_entries<T>(
          host, 4, 4, {{0, 0, 2}, {0, 1, -1}, {1, 0, -1}, {1, 1, 2}, {2, 2, 2}, {2, 3, -1}, {3, 2, -1}, {3, 3, 2}}),
      1, 3);
  ASSERT_EQ(c.aggregates.count, 2);
  const DenseMatrix P = reference::to_dense(c.tentative());
  const DenseMatrix gram = reference::multiply(reference::transpose(P), P);
  for (Index a = 0; a < 2; ++a) {
    EXPECT_NEAR(gram(3 * a, 3 * a), 1.0, 1e-5);
    EXPECT_NEAR(gram(3 * a + 1, 3 * a + 1), 1.0, 1e-5);
    EXPECT_EQ(gram(3 * a + 2, 3 * a + 2), 0.0);
  }
}

TYPED_TEST(Prolongator, ADampingOfZeroLeavesTheTentativeOne) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  for (const auto& [block_size, k] : {std::pair<Index, Index>{1, 1}, {1, 3}, {2, 3}}) {
    for (const bool filter : {false, true}) {
      Context<Host> host;
      auto c = this->coarsening(reference::random_spd_matrix<T>(host, 600, block_size == 1 ? 5 : 20, 4), block_size, k);
      const auto expected = c.tentative();
      EXPECT_TRUE(reference::identical(c.smoothed(filter, 0.0), expected));
      // A row in no aggregate is still the mean of its neighbours', and no other row is touched.
      c.aggregates.of_node[7] = Aggregates<Host>::none;
      c.aggregates_there = reference::upload(c.ctx, c.aggregates);
      const auto P = c.smoothed(filter, 0.0);
      const DenseMatrix free_row = reference::to_dense(c.smoothed(filter, 1.0));
      const DenseMatrix dense = reference::to_dense(P);
      const DenseMatrix tentative = reference::to_dense(expected);
      for (Index i = 0; i < P.rows; ++i) {
        const bool is_free = i / block_size == 7;
        for (Index j = 0; j < P.cols; ++j) {
          ASSERT_EQ(dense(i, j), is_free ? free_row(i, j) : tentative(i, j)) << i << ", " << j;
        }
        const auto length = [&](const CsrMatrix<T, Host>& A) {
          return A.row_offsets[static_cast<std::size_t>(i) + 1] - A.row_offsets[static_cast<std::size_t>(i)];
        };
        ASSERT_TRUE(is_free || length(P) == length(expected)) << i;
      }
      CsrMatrix<T, S> again = reference::upload(c.ctx, convert_values<T>(host, P));
      fill<T>(c.ctx, T{7}, MultiVectorView<T, S>(again.values.data(), static_cast<Index>(again.nnz())));
      const Graph<S> strong = reference::upload(c.ctx, c.strong);
      update_smoothed_prolongator<T>(c.ctx, reference::upload(c.ctx, borrow(c.A)), filter ? &strong : nullptr,
                                     c.aggregates_there, block_size, c.tentative_there, T{0}, again);
      EXPECT_TRUE(reference::identical(reference::download(c.ctx, std::move(again)), P));
    }
  }
}

/// (I − ω D_F⁻¹ A_F) T by dense products, with ω = 1 in rows that are in no aggregate; rows of A without a diagonal
/// leave T alone.
template <class T, MemorySpace S>
DenseMatrix naive_smoothed(Coarsening<T, S>& c, bool filter, double omega) {
  DenseMatrix A = reference::to_dense(c.A);
  const DenseMatrix P = reference::to_dense(c.tentative());
  if (filter) {
    for (Index i = 0; i < A.rows; ++i) {
      const auto node = static_cast<std::size_t>(i / c.block_size);
      const Index* begin = c.strong.col_indices.data() + c.strong.row_offsets[node];
      const Index* end = c.strong.col_indices.data() + c.strong.row_offsets[node + 1];
      double dropped = 0.0;
      for (Index j = 0; j < A.cols; ++j) {
        const Index other = j / c.block_size;
        if (other != i / c.block_size && !std::binary_search(begin, end, other)) {
          dropped += A(i, j);
          A(i, j) = 0.0;
        }
      }
      // Lumping turns no diagonal around.
      A(i, i) += A(i, i) + dropped > 0.0 ? dropped : 0.0;
    }
  }
  const DenseMatrix AT = reference::multiply(A, P);
  DenseMatrix result(P.rows, P.cols);
  for (Index i = 0; i < P.rows; ++i) {
    const auto node = static_cast<std::size_t>(i / c.block_size);
    const double damping = c.aggregates.of_node[node] == Aggregates<Host>::none ? 1.0 : omega;
    for (Index j = 0; j < P.cols; ++j) {
      result(i, j) = P(i, j) - (A(i, i) != 0.0 ? damping / A(i, i) * AT(i, j) : 0.0);
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
  for (const Index k : {1, 3}) {
    auto c = this->grid_coarsening(k);
    expect_matches(c.smoothed(false, 0.6), naive_smoothed(c, false, 0.6));
  }
}

TYPED_TEST(Prolongator, SmoothedDropsWeakConnectionsOntoTheDiagonal) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  GeneratedProblem problem = reference::poisson(reference::grid({15, 14}), Discretization::q1);
  problem.pde = Pde::diffusion;
  problem.anisotropy = {.epsilon = 1e-3, .angle = 30.0};
  for (const Index k : {1, 2}) {
    auto c = this->coarsening(generate_matrix<T>(host, problem), 1, k, 0.1);
    ASSERT_LT(c.strong.col_indices.size() + static_cast<std::size_t>(c.A.rows), static_cast<std::size_t>(c.A.nnz()));
    expect_matches(c.smoothed(true, 0.6), naive_smoothed(c, true, 0.6));
  }
}

TYPED_TEST(Prolongator, LumpingTurnsNoDiagonalAround) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  // Many weak entries, which together are more than the diagonal.
  constexpr Index n = 30;
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      entries.push_back({i, j, i == j ? 1.0 : std::abs(i - j) == 1 ? -0.5 : i < 20 && j < 20 ? -0.08 : -0.01});
    }
  }
  auto c = this->coarsening(reference::matrix_from_entries<T>(host, n, n, entries), 1, 1, 0.1);
  const CsrMatrix<T, Host> P = c.smoothed(true, 0.6);
  expect_matches(P, naive_smoothed(c, true, 0.6));
  // Where nothing is lumped, the strong neighbours pull a row their way all the same.
  EXPECT_TRUE(std::ranges::all_of(P.values.span(), [](T value) { return value >= T{0}; }));
}

TYPED_TEST(Prolongator, SmoothedOfBlocks) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  auto c = this->coarsening(reference::random_spd_matrix<T>(host, 3 * 50, 4, 8), 3, 3);
  expect_matches(c.smoothed(false, 0.5), naive_smoothed(c, false, 0.5));
}

/// Rows of all lengths up to 2 `reach` + 1, side by side: every fifteenth is empty, every eleventh has only its
/// diagonal and weak entries.
template <class T>
CsrMatrix<T, Host> uneven_matrix(Context<Host>& host, Index n, Index reach) {
  const auto is_empty = [](Index i) { return i % 15 == 14; };
  const auto is_lone = [](Index i) { return i % 11 == 10; };
  std::vector<reference::Entry> entries;
  std::vector<double> diagonal(static_cast<std::size_t>(n), 1.0);
  for (Index i = 0; i < n; ++i) {
    const Index my_reach = std::vector<Index>{1, 2, 3, reach / 4, reach}[static_cast<std::size_t>(i / 12 % 5)];
    for (Index j = i + 1; j <= std::min(i + my_reach, n - 1); ++j) {
      if (!is_empty(i) && !is_empty(j)) {
        const double a = is_lone(i) || is_lone(j) ? 1e-3 : 1.0 / (1 + (i + j) % 7);
        entries.push_back({i, j, -a});
        entries.push_back({j, i, -a});
        diagonal[static_cast<std::size_t>(i)] += a;
        diagonal[static_cast<std::size_t>(j)] += a;
      }
    }
  }
  for (Index i = 0; i < n; ++i) {
    if (!is_empty(i)) {
      entries.push_back({i, i, diagonal[static_cast<std::size_t>(i)]});
    }
  }
  return reference::matrix_from_entries<T>(host, n, n, entries);
}

TYPED_TEST(Prolongator, SmoothedOfUnevenRows) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  const auto row_lengths = [](const CsrMatrix<T, Host>& A) {
    std::vector<Offset> lengths(static_cast<std::size_t>(A.rows));
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      lengths[i] = A.row_offsets[i + 1] - A.row_offsets[i];
    }
    return lengths;
  };
  // The device has a way for rows of up to 8, one for rows of up to 64, and one for longer rows.
  for (const Index reach : {3, 20, 60}) {
    for (const auto& [block_size, k] : {std::pair<Index, Index>{1, 1}, {1, 2}, {3, 3}, {3, 6}}) {
      auto c = this->coarsening(uneven_matrix<T>(host, 402, reach), block_size, k, 0.1);
      const auto lengths = row_lengths(c.A);
      ASSERT_EQ(*std::min_element(lengths.begin(), lengths.end()), 0);
      ASSERT_GT(*std::max_element(lengths.begin(), lengths.end()), reach + 3);
      ASSERT_LE(*std::max_element(lengths.begin(), lengths.end()), 2 * reach + 1);
      if (block_size == 1) {
        ASSERT_GT(std::count(c.aggregates.of_node.data(), c.aggregates.of_node.data() + c.aggregates.of_node.size(),
                             Aggregates<Host>::none),
                  20);
        ASSERT_LT(c.strong.col_indices.size() + static_cast<std::size_t>(c.A.rows),
                  static_cast<std::size_t>(c.A.nnz()));
      }
      for (const bool filter : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << "reach " << reach << ", blocks of " << block_size << ", k = " << k << ", filter " << filter);
        expect_matches(c.smoothed(filter, 0.6), naive_smoothed(c, filter, 0.6));
      }
    }
  }
}

TYPED_TEST(Prolongator, UpdateGivesTheBitsOfFormingAnew) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  // 6: rows that a thread has no room for, while those of the mean length fit.
  for (const Index reach : {3, 6, 20, 60}) {
    for (const auto& [block_size, k] : {std::pair<Index, Index>{1, 1}, {1, 2}, {3, 3}, {3, 6}}) {
      auto c = this->coarsening(uneven_matrix<T>(host, 402, reach), block_size, k, 0.1);
      for (const bool filter : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << "reach " << reach << ", blocks of " << block_size << ", k = " << k << ", filter " << filter);
        const Graph<S> strong = reference::upload(c.ctx, c.strong);
        const Graph<S>* const filtering = filter ? &strong : nullptr;
        CsrMatrix<T, S> P = smoothed_prolongator<T>(c.ctx, reference::upload(c.ctx, borrow(c.A)), filtering,
                                                    c.aggregates_there, block_size, c.tentative_there, T(0.6));
        CsrMatrix<T, Host> other = uneven_matrix<T>(host, 402, reach);
        const auto factors = reference::random_values<T>(other.values.size(), 5);
        for (std::size_t i = 0; i < factors.size(); ++i) {
          other.values.data()[i] *= factors[i] + T(1.5);
        }
        const CsrMatrix<T, S> A = reference::upload(c.ctx, std::move(other));
        update_smoothed_prolongator<T>(c.ctx, A, filtering, c.aggregates_there, block_size, c.tentative_there, T(0.5),
                                       P);
        CsrMatrix<T, S> anew =
            smoothed_prolongator<T>(c.ctx, A, filtering, c.aggregates_there, block_size, c.tentative_there, T(0.5));
        EXPECT_TRUE(reference::identical(reference::download(c.ctx, std::move(P)),
                                         reference::download(c.ctx, std::move(anew))));
      }
    }
  }
}

TYPED_TEST(Prolongator, UpdateRefusesAnotherMatrix) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  auto c = this->grid_coarsening(1);
  const auto A = reference::upload(c.ctx, borrow(c.A));
  CsrMatrix<T, typename TypeParam::Space> P =
      smoothed_prolongator<T>(c.ctx, A, nullptr, c.aggregates_there, 1, c.tentative_there, T(0.6));
  const auto smaller = reference::upload(
      c.ctx, generate_matrix<T>(host, reference::poisson(reference::grid({4, 4}), Discretization::fd)));
  EXPECT_THROW(
      update_smoothed_prolongator<T>(c.ctx, smaller, nullptr, c.aggregates_there, 1, c.tentative_there, T(0.6), P),
      std::invalid_argument);
  ++P.cols;
  EXPECT_THROW(update_smoothed_prolongator<T>(c.ctx, A, nullptr, c.aggregates_there, 1, c.tentative_there, T(0.6), P),
               std::invalid_argument);
}

TYPED_TEST(Prolongator, SmoothedMayHaveMoreCandidatesThanAWarpHasLanes) {
  auto c = this->grid_coarsening(35);
  expect_matches(c.smoothed(false, 0.6), naive_smoothed(c, false, 0.6));
}

TYPED_TEST(Prolongator, SmoothedRowsMayBeLong) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  // A wheel of 700 pairs, all of them joined to the hub, which is strong to none: its row has 1401 entries.
  std::vector<reference::Entry> entries{{0, 0, 1000.0}};
  for (Index i = 1; i <= 1400; ++i) {
    const Index partner = i % 2 == 1 ? i + 1 : i - 1;
    entries.push_back({i, i, 2.0});
    entries.push_back({i, partner, -1.0});
    entries.push_back({i, 0, -0.5});
    entries.push_back({0, i, -0.5});
  }
  for (const Index k : {1, 2, 3}) {
    auto c = this->coarsening(reference::matrix_from_entries<T>(host, 1401, 1401, entries), 1, k, 0.1);
    ASSERT_EQ(c.aggregates.count, 700);
    ASSERT_EQ(c.aggregates.of_node[0], Aggregates<Host>::none);
    const auto P = c.smoothed(false, 0.6);
    EXPECT_EQ(P.row_offsets[1], 700 * k);
    expect_matches(P, naive_smoothed(c, false, 0.6));
  }
}

TYPED_TEST(Prolongator, InteriorRowsKeepTheConstant) {
  using T = typename TypeParam::Value;
  auto c = this->grid_coarsening(1);
  const auto P = c.smoothed(false, 0.6);
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
             static_cast<double>(c.coarse_candidates[static_cast<std::size_t>(P.col_indices[k])]);
    }
    EXPECT_NEAR(sum, 1.0, 100 * std::numeric_limits<T>::epsilon());
  }
}

}  // namespace
}  // namespace amgsolve
