#include "amg/block_couplings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "amg/block_couplings_steps.hpp"
#include "amg/solver.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/coarsening.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/elasticity.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::DenseMatrix;
using reference::FoundCouplings;

template <class T, MemorySpace S>
FoundCouplings<T> find(Context<Host>& host, Context<S>& ctx, const CsrMatrix<T, Host>& A,
                       const std::vector<T>& candidates, Index columns, Index block_size, double threshold) {
  const CsrMatrix<T, S> there = reference::upload(ctx, borrow(A));
  const Buffer<T, S> B = reference::upload_buffer<T>(ctx, candidates);
  return reference::download(ctx, host,
                             strong_block_couplings(ctx, there, MultiVectorView<const T, S>(B.data(), A.rows, columns),
                                                    block_size, threshold, true));
}

template <class T>
std::vector<T> values_of(const MultiVector<double, Host>& vector) {
  return {vector.data(), vector.data() + vector.size()};
}

template <class T>
DenseMatrix dense(const std::vector<T>& values, Index columns) {
  DenseMatrix B(static_cast<Index>(values.size()) / columns, columns);
  std::copy(values.begin(), values.end(), B.values.begin());
  return B;
}

/// Column c of A_F B is that of A B, up to the rounding of sums of so many entries.
template <class T>
void expect_same_product(const CsrMatrix<T, Host>& filtered, const CsrMatrix<T, Host>& A, const DenseMatrix& B,
                         Index c) {
  const DenseMatrix mine = multiply(reference::to_dense(filtered), B);
  const DenseMatrix expected = multiply(reference::to_dense(A), B);
  const DenseMatrix size = multiply(reference::absolute(reference::to_dense(A)), reference::absolute(B));
  for (Index i = 0; i < A.rows; ++i) {
    // Two dozen entries a row, and elimination in blocks with a condition of about ten.
    EXPECT_NEAR(mine(i, c), expected(i, c), 500 * std::numeric_limits<T>::epsilon() * size(i, c)) << "row " << i;
  }
}

constexpr std::array<Index, 2> cells = {12, 9};
constexpr double flat = 0.1;  ///< the height of elements that are ten times as long

template <class I>
class BlockCouplingsTest : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(BlockCouplingsTest, reference::Instances, reference::InstanceNames);

TYPED_TEST(BlockCouplingsTest, AreTheScalarOnesForOneUnknownANode) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  GeneratedProblem problem = reference::poisson(reference::grid({14, 11}), Discretization::q1);
  problem.pde = Pde::diffusion;
  problem.anisotropy = {.epsilon = 1e-3, .angle = 20.0};
  const auto A = generate_matrix<T>(host, problem);
  std::vector<T> B = reference::random_values<T>(static_cast<std::size_t>(A.rows), 3);
  for (T& b : B) {
    b = std::copysign(T(0.5) + std::abs(b), b);
  }
  Buffer<T, Host> diagonal(host, B.size());
  extract_diagonal<T>(host, A, diagonal);
  const Couplings<T, Host> expected =
      strong_couplings<T>(host, A, std::as_const(diagonal).span(), Span<const T, Host>(B.data(), B.size()), 0.35, true);
  const FoundCouplings<T> found = find<T>(host, ctx, A, B, 1, 1, 0.35);
  EXPECT_EQ(reference::download(host, found.strong.col_indices.span()),
            reference::download(host, expected.strong.col_indices.span()));
  EXPECT_NEAR(found.dropped_weight, expected.dropped_weight, 1e-4);
  // Lumping divides once more.
  EXPECT_TRUE(reference::close(found.filtered, expected.filtered, 100 * std::numeric_limits<T>::epsilon()));
}

// Unknowns that nothing couples: signed traces and weights are sums over them.
TYPED_TEST(BlockCouplingsTest, WeighANodeByAllItsUnknowns) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  GeneratedProblem problem = reference::poisson(reference::grid({14, 11}), Discretization::q1);
  problem.pde = Pde::diffusion;
  problem.anisotropy = {.epsilon = 1e-3, .angle = 20.0};
  const auto one = generate_matrix<T>(host, problem);
  const auto twice = convert_values<T>(host, one, 2.0);
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < one.rows; ++i) {
    for (Offset k = one.row_offsets[static_cast<std::size_t>(i)]; k < one.row_offsets[static_cast<std::size_t>(i) + 1];
         ++k) {
      const auto e = static_cast<std::size_t>(k);
      for (const Index r : {0, 1}) {
        entries.push_back({2 * i + r, 2 * one.col_indices[e] + r, one.values[e]});
      }
    }
  }
  const auto A = reference::matrix_from_entries<T>(host, 2 * one.rows, 2 * one.rows, std::move(entries));
  const auto noise = reference::random_values<T>(static_cast<std::size_t>(A.rows), 3);
  std::vector<T> B;  // candidate r is one of unknown r alone
  std::vector<T> weights;
  for (std::size_t node = 0; node < static_cast<std::size_t>(one.rows); ++node) {
    const T first = T(0.1) + std::abs(noise[2 * node]);
    const T second = T(0.1) + std::abs(noise[2 * node + 1]);
    B.insert(B.end(), {first, T(0), T(0), second});
    weights.push_back(first + second);
  }
  Buffer<T, Host> diagonal(host, weights.size());
  extract_diagonal<T>(host, twice, diagonal);
  const Couplings<T, Host> expected = strong_couplings<T>(
      host, twice, std::as_const(diagonal).span(), Span<const T, Host>(weights.data(), weights.size()), 0.35, true);
  const FoundCouplings<T> found = find<T>(host, ctx, A, B, 2, 2, 0.35);
  ASSERT_GT(expected.dropped_weight, 0.01);
  EXPECT_EQ(reference::download(host, found.strong.col_indices.span()),
            reference::download(host, expected.strong.col_indices.span()));
  EXPECT_NEAR(found.dropped_weight, expected.dropped_weight, 1e-4);
}

TYPED_TEST(BlockCouplingsTest, NodesOfFlatElementsAreStrongAcrossTheirShortEdges) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = convert_values<T>(host, reference::plane_strain(host, cells, flat));
  const auto B = values_of<T>(reference::rigid_body_modes(host, cells, flat, 3));
  const FoundCouplings<T> found = find<T>(host, ctx, A, B, 3, 2, 0.35);
  ASSERT_EQ(found.strong.nodes, A.rows / 2);
  for (Index node = 0; node < found.strong.nodes; ++node) {
    const auto neighbours = found.strong.neighbours(static_cast<std::size_t>(node));
    EXPECT_GE(neighbours.size(), 1U);
    for (const Index neighbour : neighbours) {
      EXPECT_NE(neighbour / cells[0], node / cells[0]) << node << " and " << neighbour << " lie side by side";
    }
  }
  EXPECT_GT(found.dropped_weight, 0.5);
}

TYPED_TEST(BlockCouplingsTest, DropWholeBlocksAndLumpThemWithTheCandidates) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = convert_values<T>(host, reference::plane_strain(host, cells, flat));
  // The modes in a basis of its own at every node: B̄ is neither triangular nor the same anywhere.
  const auto modes = values_of<T>(reference::rigid_body_modes(host, cells, flat, 3));
  const auto noise = reference::random_values<T>(modes.size(), 5);
  for (const Index columns : {2, 3}) {
    std::vector<T> B;
    for (std::size_t e = 0; e < modes.size(); ++e) {
      if (static_cast<Index>(e) % 3 < columns) {
        B.push_back(modes[e] + T(0.2) * noise[e]);
      }
    }
    const FoundCouplings<T> found = find<T>(host, ctx, A, B, columns, 2, 0.35);
    check_structure<T>(host, found.filtered);
    ASSERT_LT(found.filtered.nnz(), A.nnz());
    const DenseMatrix filtered = reference::to_dense(found.filtered);
    const DenseMatrix all = reference::to_dense(A);
    for (Index i = 0; i < A.rows; ++i) {
      for (Index j = 0; j < A.rows; ++j) {
        const Index like = j - j % 2 + i % 2;  // An entry that is zero in one unknown may not be in the other.
        if (i / 2 != j / 2 && filtered(i, like) != 0.0) {
          EXPECT_EQ(filtered(i, j), all(i, j));
        }
      }
    }
    for (Index c = 0; c < 2; ++c) {
      expect_same_product(found.filtered, A, dense(B, columns), c);
    }
    EXPECT_TRUE(reference::identical(found.filtered, find<T>(host, host, A, B, columns, 2, 0.35).filtered));
  }
}

TYPED_TEST(BlockCouplingsTest, ACandidateThatOthersSpanAtANodeTakesNoPartThere) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = convert_values<T>(host, reference::plane_strain(host, cells, flat));
  auto B = values_of<T>(reference::rigid_body_modes(host, cells, flat, 2));
  for (std::size_t row = 0; row < B.size() / 2; row += 6) {
    B[2 * row + 1] = B[2 * row];
    B[2 * row + 3] = B[2 * row + 2];
  }
  const FoundCouplings<T> found = find<T>(host, ctx, A, B, 2, 2, 0.35);
  for (std::size_t k = 0; k < found.filtered.values.size(); ++k) {
    EXPECT_TRUE(std::isfinite(found.filtered.values[k]));
  }
  expect_same_product(found.filtered, A, dense(B, 2), 0);
}

TYPED_TEST(BlockCouplingsTest, RefuseSizesThatDoNotMatch) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, convert_values<T>(host, reference::plane_strain(host, {3, 2}, 1.0)));
  const MultiVector<T, S> one(ctx, A.rows, 1);
  const MultiVector<T, S> short_ones(ctx, A.rows - 2, 2);
  EXPECT_THROW(strong_block_couplings(ctx, A, one, 2, 0.35, true), std::invalid_argument);
  EXPECT_THROW(strong_block_couplings(ctx, A, short_ones, 2, 0.35, true), std::invalid_argument);
  EXPECT_THROW(strong_block_couplings(ctx, A, short_ones, 4, 0.35, true), std::invalid_argument);
}

TEST(BlockCouplingsThreads, DoNotChangeABit) {
  Context<Host> one(1);
  Context<Host> three(3);
  constexpr std::array<Index, 2> many = {120, 60};
  const auto A = reference::plane_strain(one, many, flat);
  const auto B = values_of<double>(reference::rigid_body_modes(one, many, flat, 3));
  EXPECT_TRUE(reference::identical(find<double>(one, one, A, B, 3, 2, 0.35).filtered,
                                   find<double>(one, three, A, B, 3, 2, 0.35).filtered));
}

/// Two nodes of many unknowns, where each has some couplings to the other that A_F drops.
class LargeBlocks : public testing::Test {
 protected:
  static constexpr Index b = 240;  // which the work on a node is cut into slices for
  static constexpr Index n = 2 * b;

  LargeBlocks() {
    std::vector<reference::Entry> entries;
    for (Index i = 0; i < n; ++i) {
      entries.push_back({i, i, 10.0});
      entries.push_back({i, (i + b) % n, -1.0});
      entries.push_back({i, (i + b + 7) % n, 0.5});
    }
    A_ = reference::matrix_from_entries<double>(ctx_, n, n, std::move(entries));
    for (Index i = 0; i < n; ++i) {
      candidates_[static_cast<std::size_t>(i * b + i % b)] += 20.0;
    }
  }

  MultiVectorView<const double, Host> candidates() const { return {candidates_.data(), n, b}; }

  Context<Host> ctx_{1};
  CsrMatrix<double, Host> A_;
  CsrMatrix<double, Host> kept_ = reference::matrix_from_entries<double>(ctx_, 2, 2, {{0, 0, 1.0}, {1, 1, 1.0}});
  std::vector<double> candidates_ = reference::random_values<double>(std::size_t{n} * b, 3);
};

TEST_F(LargeBlocks, AreLumpedWithTheCandidates) {
  const CsrMatrix<double, Host> filtered = filter_blocks<double>(ctx_, A_, candidates(), b, kept_);
  ASSERT_EQ(filtered.nnz(), Offset{n} * b);
  for (const Index c : {0, 1, b - 1}) {
    expect_same_product(filtered, A_, dense(candidates_, b), c);
  }
}

/// One node may take longer than anybody waits.
TEST_F(LargeBlocks, AskWithinANodeWhetherToGoOn) {
  constexpr Index untouched = -2;
  std::vector<double> lumps(candidates_.size());
  std::vector<double> basis(candidates_.size());
  std::vector<Index> pivots(n, untouched);
  std::vector<Offset> counts(n);
  const BlockFilter<double, Host> filter{.A = ref_of(A_),
                                         .kept = ref_of(kept_),
                                         .candidates = candidates(),
                                         .block_size = b,
                                         .lumps = lumps.data(),
                                         .basis = basis.data(),
                                         .pivots = pivots.data()};
  ctx_.set_stop([&] { return pivots.back() != untouched; });  // both have begun
  EXPECT_THROW(lump_blocks<double>(ctx_, filter, A_.nnz(), {counts.data(), counts.size()}), InterruptedError);
}

struct Solved {
  int iterations;
  HierarchySummary hierarchy;
};

/// A body under a force in y by the default options, to 1e-7: rounding errors may leave 1e-8.
Solved solve_body(double height, Index columns, const AmgOptions& wanted = {}) {
  Context<Host> ctx;
  constexpr std::array<Index, 2> body = {48, 48};
  AmgOptions options = wanted;
  options.block_size = 2;
  options.coarse_size = 100;
  SolverOptions solve;
  solve.max_iterations = 400;
  solve.tolerance = 1e-7;
  AmgSolver<double, Host> solver(options, solve);
  CsrMatrix<double, Host> A = reference::plane_strain(ctx, body, height);
  const Index n = A.rows;
  const MultiVector<double, Host> modes = reference::rigid_body_modes(ctx, body, height, columns);
  solver.setup(ctx, std::move(A), modes);
  MultiVector<double, Host> b(ctx, n);
  MultiVector<double, Host> x(ctx, n);
  for (Index i = 0; i < n; ++i) {
    b.data()[i] = i % 2;
  }
  fill<double>(ctx, 0.0, x);
  return {solver.solve(ctx, std::as_const(b), x).iterations, solver.summary()};
}

TEST(BlockCouplings, SolveBodiesOfFlatElements) {
  AmgOptions symmetric;
  symmetric.strength.measure = StrengthMeasure::symmetric;
  EXPECT_LE(solve_body(1.0, 3).iterations, 18);
  EXPECT_LE(solve_body(0.1, 3).iterations, 40);
  EXPECT_GT(solve_body(0.1, 3, symmetric).iterations, 80);
}

/// With two steps on coarse levels the flattest body takes 60.
TEST(BlockCouplings, SmoothOnceWhereBodiesOfFlatElementsTurn) {
  const Solved turns = solve_body(0.02, 3);
  EXPECT_LE(turns.iterations, 50);
  const std::vector<LevelSummary>& levels = turns.hierarchy.levels;
  ASSERT_GT(levels.size(), 2U);
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    EXPECT_EQ(levels[l].prolongator_steps, 1) << l;
  }
  EXPECT_GT(levels[1].dropped_weight, 0.3);
  EXPECT_EQ(solve_body(0.02, 2).hierarchy.levels[0].prolongator_steps, 2);
}

}  // namespace
}  // namespace amgsolve
