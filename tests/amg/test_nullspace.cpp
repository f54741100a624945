#include "amg/nullspace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "amg/connected_components.hpp"
#include "amg/solver.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/blocks.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// Systems that are singular, and what of them tells so.
namespace amgsolve {
namespace {

using reference::Blocks;
using reference::Entry;
using reference::shuffled_blocks;

template <class T>
CsrMatrix<T, Host> poisson(Context<Host>& host, const StructuredGrid& grid, Boundary boundary) {
  GeneratedProblem problem = reference::poisson(grid, Discretization::fd);
  problem.boundary = boundary;
  return generate_matrix<T>(host, problem);
}

/// A Neumann and a periodic problem, which are singular, around a Dirichlet problem, which is not.
template <class T>
Blocks<T> mixed_blocks(Context<Host>& host) {
  std::vector<CsrMatrix<T, Host>> blocks;
  blocks.push_back(poisson<T>(host, reference::grid({37, 29}), Boundary::neumann));
  blocks.push_back(poisson<T>(host, reference::grid({31, 33}), Boundary::dirichlet));
  blocks.push_back(poisson<T>(host, reference::grid({12, 11, 10}), Boundary::periodic));
  return shuffled_blocks(host, blocks);
}

template <class T>
std::vector<double> block_means(const Blocks<T>& blocks, const std::vector<T>& x) {
  std::vector<double> sums(3, 0.0);
  std::vector<double> rows(3, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    sums[static_cast<std::size_t>(blocks.block_of_row[i])] += static_cast<double>(x[i]);
    rows[static_cast<std::size_t>(blocks.block_of_row[i])] += 1.0;
  }
  return {sums[0] / rows[0], sums[1] / rows[1], sums[2] / rows[2]};
}

template <class I>
class Nullspaces : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Nullspaces, reference::Instances, reference::InstanceNames);

TYPED_TEST(Nullspaces, ComponentsAreThoseOfTheGraph) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const Blocks<T> blocks = mixed_blocks<T>(host);
  // Numbered by their lowest nodes.
  std::vector<Index> number(3, -1);
  std::vector<Index> expected;
  for (const int block : blocks.block_of_row) {
    Index& mine = number[static_cast<std::size_t>(block)];
    mine = mine < 0 ? *std::ranges::max_element(number) + 1 : mine;
    expected.push_back(mine);
  }
  for (const StorageEntry& entry : storages) {
    const Operator<T, S> A(ctx, reference::upload(ctx, borrow(blocks.A)), entry.storage);
    const Aggregates<S> components = connected_components(ctx, A, 1);
    EXPECT_EQ(components.count, 3);
    EXPECT_EQ(reference::download(ctx, components.of_node.span()), expected);
  }
}

TYPED_TEST(Nullspaces, ComponentsOfALongChainOfNodes) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  // Node i of two unknowns hangs together by one of them alone; nodes 700 and 701 do not.
  constexpr Index nodes = 5000;
  std::vector<Entry> entries;
  for (Index i = 0; i < nodes; ++i) {
    // Neighbours in the chain are far apart in their numbers: 2171 and 5000 have no common divisor.
    const auto place = [](Index k) { return static_cast<Index>(std::int64_t{k} * 2171 % nodes); };
    entries.push_back({2 * place(i), 2 * place(i), 2.0});
    entries.push_back({2 * place(i) + 1, 2 * place(i) + 1, 2.0});
    if (i + 1 < nodes && i != 700) {
      entries.push_back({2 * place(i) + 1, 2 * place(i + 1), -1.0});
      entries.push_back({2 * place(i + 1), 2 * place(i) + 1, -1.0});
    }
  }
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.row, e.col); });
  const Operator<T, S> A(
      ctx, reference::upload(ctx, reference::matrix_from_entries<T>(host, 2 * nodes, 2 * nodes, entries)));
  const Aggregates<S> components = connected_components(ctx, A, 2);
  EXPECT_EQ(components.count, 2);
  const std::vector<Index> of_node = reference::download(ctx, components.of_node.span());
  for (Index i = 0; i < nodes; ++i) {
    EXPECT_EQ(of_node[static_cast<std::size_t>(std::int64_t{i} * 2171 % nodes)], i <= 700 ? 0 : 1) << i;
  }
}

TYPED_TEST(Nullspaces, ComponentsAreJoinedByWhatIsNotZeroInEitherDirection) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  // Two stars that point at their middles, 30 and 5, and stored zeros between them and back from their middles.
  constexpr Index n = 60;
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    const Index middle = i % 2 == 0 ? 30 : 5;
    entries.push_back({i, i, 1.0});
    if (i != middle) {
      entries.push_back({i, middle, -1.0});
      entries.push_back({middle, i, 0.0});
    }
  }
  for (Index i = 0; i + 1 < n; ++i) {
    if (i != 5 && i != 30 && i != 4 && i != 29) {
      entries.push_back({i, i + 1, 0.0});
    }
  }
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.row, e.col); });
  const auto matrix = reference::matrix_from_entries<T>(host, n, n, entries);
  for (const StorageEntry& entry : storages) {
    const Operator<T, S> A(ctx, reference::upload(ctx, borrow(matrix)), entry.storage);
    const Aggregates<S> components = connected_components(ctx, A, 1);
    EXPECT_EQ(components.count, 2);
    const std::vector<Index> of_node = reference::download(ctx, components.of_node.span());
    for (Index i = 0; i < n; ++i) {
      EXPECT_EQ(of_node[static_cast<std::size_t>(i)], i % 2) << i;
    }
  }
}

TYPED_TEST(Nullspaces, ProjectionsTakeTheNullVectorsOutAndNothingElse) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  const Blocks<T> blocks = mixed_blocks<T>(host);
  const std::vector<T> ones(blocks.block_of_row.size(), T{1});
  reference::for_contexts<S>([&](auto& ctx) {
    const Operator<T, S> A(ctx, reference::upload(ctx, borrow(blocks.A)));
    const MultiVector<T, S> B = reference::upload(ctx, ones);
    const Nullspace<T, S> nullspace(ctx, A, B, 1);
    EXPECT_EQ(nullspace.dimension(), 2);
    EXPECT_EQ(nullspace.singular_components(), 2);
    EXPECT_EQ(nullspace.components(), 3);
    const std::vector<T> before = reference::random_values<T>(3 * ones.size(), 5);
    MultiVector<T, S> X = reference::upload(ctx, before, 3);
    nullspace.project(ctx, X);
    const std::vector<T> after = reference::download(ctx, X);
    for (std::size_t column = 0; column < 3; ++column) {
      std::vector<T> x;
      std::vector<T> left;
      for (std::size_t i = 0; i < ones.size(); ++i) {
        x.push_back(before[3 * i + column]);
        left.push_back(after[3 * i + column]);
      }
      const std::vector<double> means = block_means(blocks, x);
      for (std::size_t i = 0; i < ones.size(); ++i) {
        const int block = blocks.block_of_row[i];
        const double expected = static_cast<double>(x[i]) - (block == 1 ? 0.0 : means[static_cast<std::size_t>(block)]);
        // Means of up to 1320 numbers below 1, and one rounding to T.
        EXPECT_NEAR(static_cast<double>(left[i]), expected, 2.0 * std::numeric_limits<T>::epsilon() + 1e-12);
      }
    }
  });
}

TYPED_TEST(Nullspaces, WhatIsOutOfTheRangeIsThatOfTheWorstColumn) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = reference::upload(ctx, poisson<T>(host, reference::grid({40, 30}), Boundary::neumann));
  const MultiVector<T, S> B = reference::upload(ctx, std::vector<T>(static_cast<std::size_t>(A.rows), T{1}));
  const Nullspace<T, S> nullspace(ctx, Operator<T, S>(ctx, borrow(A)), B, 1);
  // Means of 0, 3 and 1 beside ones of alternating signs.
  std::vector<T> b;
  for (Index i = 0; i < A.rows; ++i) {
    const T alternating = i % 2 == 0 ? T{1} : T{-1};
    b.insert(b.end(), {alternating, T{3} + alternating, T{1} + alternating});
  }
  EXPECT_NEAR(nullspace.in_range(ctx, reference::upload(ctx, b, 3).view()).outside_range, std::sqrt(0.9),
              10 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(Nullspaces, TellSingularFromNearlySo) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  auto A = poisson<T>(host, reference::grid({40, 30}), Boundary::neumann);
  const MultiVector<T, S> B = reference::upload(ctx, std::vector<T>(static_cast<std::size_t>(A.rows), T{1}));
  const auto dimension = [&] {
    const auto there = reference::upload(ctx, borrow(A));
    const Nullspace<T, S> nullspace(ctx, Operator<T, S>(ctx, borrow(there)), B, 1);
    EXPECT_EQ(maps_to_zero<T>(ctx, there, B.view()), nullspace.dimension() == 1);
    return nullspace.dimension();
  };
  EXPECT_EQ(dimension(), 1);
  // A hundred roundings of one diagonal entry: a Dirichlet condition, if a weak one.
  for (Offset k = A.row_offsets[100]; k < A.row_offsets[101]; ++k) {
    if (A.col_indices[static_cast<std::size_t>(k)] == 100) {
      A.values[static_cast<std::size_t>(k)] *= T{1} + 400 * std::numeric_limits<T>::epsilon();
    }
  }
  EXPECT_EQ(dimension(), 0);
}

template <class I>
class SingularSystems : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SingularSystems, reference::DoubleInstances, reference::InstanceNames);

template <MemorySpace S>
struct Solved {
  SolveResult result;
  std::vector<double> x;
};

template <MemorySpace S>
Solved<S> solve(Context<S>& ctx, const CsrMatrix<double, Host>& A, const std::vector<double>& b, AmgOptions amg,
                const std::vector<double>& candidates = {}) {
  amg.coarse_size = 50;
  const auto there = reference::upload(ctx, borrow(A));
  const MultiVector<double, S> rhs = reference::upload(ctx, b);
  MultiVector<double, S> B;
  if (!candidates.empty()) {
    B = reference::upload(ctx, candidates);
  }
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 7.0, x);
  AmgSolver<double, S> solver(amg, {});
  solver.setup(ctx, borrow(there), std::as_const(B).view());
  Solved<S> solved;
  solved.result = solver.solve(ctx, rhs, x);
  solved.x = reference::download(ctx, x);
  return solved;
}

TYPED_TEST(SingularSystems, AnyRightHandSideIsSolvedAsFarAsItIsInTheRange) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const Blocks<double> blocks = mixed_blocks<double>(host);
  std::vector<double> b = reference::random_values<double>(blocks.block_of_row.size(), 8);
  for (double& entry : b) {
    entry += 0.5;
  }
  for (const Precision precision : {Precision::same, Precision::mixed}) {
    AmgOptions amg;
    amg.precision = precision;
    const auto solved = solve(ctx, blocks.A, b, amg);
    EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
    EXPECT_LE(solved.result.iterations, 20);
    const std::vector<double> means = block_means(blocks, b);
    double outside = 0.0;
    double whole = 0.0;
    double residual = 0.0;
    double inside = 0.0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      const int block = blocks.block_of_row[i];
      const double mean = block == 1 ? 0.0 : means[static_cast<std::size_t>(block)];
      double r = b[i] - mean;
      inside += r * r;
      for (auto k = static_cast<std::size_t>(blocks.A.row_offsets[i]);
           k < static_cast<std::size_t>(blocks.A.row_offsets[i + 1]); ++k) {
        r -= blocks.A.values[k] * solved.x[static_cast<std::size_t>(blocks.A.col_indices[k])];
      }
      residual += r * r;
      outside += mean * mean;
      whole += b[i] * b[i];
    }
    EXPECT_NEAR(solved.result.outside_range, std::sqrt(outside / whole), 1e-10);
    EXPECT_LE(std::sqrt(residual / inside), 1.01e-8);
    const std::vector<double> solution_means = block_means(blocks, solved.x);
    EXPECT_NEAR(solution_means[0], 0.0, 1e-10) << "the shortest solution";
    EXPECT_NEAR(solution_means[2], 0.0, 1e-10);
    EXPECT_GT(std::abs(solution_means[1]), 1e-3) << "the part that is regular is left alone";
  }
}

// Two grids whose file stores a zero between them, with its mirror or without.
TYPED_TEST(SingularSystems, AStoredZeroJoinsNoComponents) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  std::vector<CsrMatrix<double, Host>> grids;
  grids.push_back(poisson<double>(host, reference::grid({30, 31}), Boundary::neumann));
  grids.push_back(poisson<double>(host, reference::grid({24, 25}), Boundary::neumann));
  const Index rows = grids[0].rows + grids[1].rows;
  std::vector<double> b = reference::random_values<double>(static_cast<std::size_t>(rows), 8);
  for (Index i = 0; i < rows; ++i) {
    b[static_cast<std::size_t>(i)] += i < grids[0].rows ? 1.0 : -1.0;
  }
  for (const bool has_mirror : {true, false}) {
    std::string entries;
    Offset count = 1;
    for (Index first = 0; const CsrMatrix<double, Host>& A : grids) {
      for (Index i = 0; i < A.rows; ++i) {
        for (auto k = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i)]);
             k < static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
          if (const Index j = A.col_indices[k]; !has_mirror || j <= i) {
            entries += format_text("{} {} {}\n", first + i + 1, first + j + 1, A.values[k]);
            ++count;
          }
        }
      }
      first += A.rows;
    }
    const std::string file =
        format_text("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n{} {} 0\n{}",
                    has_mirror ? "symmetric" : "general", rows, rows, count, grids[0].rows + 5, 3, entries);
    const auto A = parse_matrix_market<double>(host, file, "A.mtx");
    const auto solved = solve(ctx, A, b, {});
    EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
    EXPECT_LE(solved.result.iterations, 20);
    const auto middle = solved.x.begin() + grids[0].rows;
    EXPECT_NEAR(std::accumulate(solved.x.begin(), middle, 0.0), 0.0, 1e-8);
    EXPECT_NEAR(std::accumulate(middle, solved.x.end(), 0.0), 0.0, 1e-8);
  }
}

// Small components come down to a node each levels above the coarsest, whose entries are roundings of either sign.
TYPED_TEST(SingularSystems, ManyComponentsOfDifferentSizes) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  std::vector<CsrMatrix<double, Host>> components;
  for (int i = 0; i < 120; ++i) {
    const std::int64_t n = std::array{5, 8, 12, 20}[static_cast<std::size_t>(i % 4)];
    components.push_back(poisson<double>(host, reference::grid({n, n + i % 3}), Boundary::neumann));
  }
  const Blocks<double> blocks = shuffled_blocks(host, components);
  for (const Precision precision : {Precision::same, Precision::mixed}) {
    AmgOptions amg;
    amg.precision = precision;
    amg.direct_solve_limit = 50;
    const auto solved = solve(ctx, blocks.A, reference::random_values<double>(blocks.block_of_row.size(), 8), amg);
    EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
    EXPECT_LE(solved.result.iterations, 20);
    EXPECT_GT(solved.result.outside_range, 0.0);
  }
}

// On deep levels all entries of a long chain are small beside those of the finest level, and no rounding errors.
TYPED_TEST(SingularSystems, ComponentsOfVeryDifferentSizes) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  std::vector<CsrMatrix<double, Host>> chains;
  chains.push_back(poisson<double>(host, reference::grid({60'000, 2}), Boundary::neumann));
  for (int i = 0; i < 100; ++i) {
    chains.push_back(poisson<double>(host, reference::grid({50 + 11 * i, 2}), Boundary::neumann));
  }
  const Blocks<double> blocks = shuffled_blocks(host, chains);
  std::vector<int> iterations;
  for (const Precision precision : {Precision::same, Precision::mixed}) {
    AmgOptions amg;
    amg.precision = precision;
    amg.direct_solve_limit = 50;
    const auto solved = solve(ctx, blocks.A, reference::random_values<double>(blocks.block_of_row.size(), 8), amg);
    EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
    iterations.push_back(solved.result.iterations);
  }
  EXPECT_LE(iterations[0], 40);
  EXPECT_LE(iterations[1], iterations[0] + 5);
}

// Directions keep no part in the null space that would grow from step to step.
TYPED_TEST(SingularSystems, ConvergeToTolerancesNearRounding) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const Boundary boundary : {Boundary::neumann, Boundary::periodic}) {
    const auto A = poisson<double>(host, reference::grid({1000, 100}), boundary);
    const auto there = reference::upload(ctx, borrow(A));
    for (const Method method : {Method::cg, Method::minres, Method::fgmres}) {
      const Index columns = method == Method::cg ? 6 : 1;  // by cg it depends on the right-hand side
      const auto b = reference::random_values<double>(static_cast<std::size_t>(A.rows * columns), 8);
      SolverOptions options;
      options.method = method;
      options.tolerance = 1e-13;
      AmgSolver<double, typename TypeParam::Space> solver({}, options);
      solver.setup(ctx, borrow(there));
      MultiVector<double, typename TypeParam::Space> x(ctx, A.rows, columns);
      fill<double>(ctx, 0.0, x);
      const SolveResult result = solver.solve(ctx, reference::upload(ctx, b, columns), x);
      EXPECT_LE(result.reason, StopReason::attained) << describe(result.reason);
      EXPECT_LE(result.relative_residual, 1e-12);
      EXPECT_LE(result.iterations, 20);
    }
  }
}

TYPED_TEST(SingularSystems, ARightHandSideMayBeNearlyAllOutOfRange) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = poisson<double>(host, reference::grid({100, 100}), Boundary::neumann);
  auto b = reference::random_values<double>(static_cast<std::size_t>(A.rows), 8);
  for (double& entry : b) {
    entry = 1.0 + 1e-9 * entry;
  }
  const auto solved = solve(ctx, A, b, {});
  EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
  EXPECT_LE(solved.result.iterations, 20);
}

// What is known to be singular, and projected, is not what ended the iteration.
TYPED_TEST(SingularSystems, EndAsOthersDo) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = poisson<double>(host, reference::grid({60, 50}), Boundary::neumann);
  const auto there = reference::upload(ctx, borrow(A));
  const MultiVector<double, typename TypeParam::Space> b =
      reference::upload(ctx, reference::random_values<double>(static_cast<std::size_t>(A.rows), 8));
  SolverOptions options;
  options.stopping = Stopping::strict;
  AmgSolver<double, typename TypeParam::Space> solver({}, options);
  solver.setup(ctx, borrow(there));
  const auto solve = [&](const SolveChoices<double, typename TypeParam::Space>& choices) {
    MultiVector<double, typename TypeParam::Space> x(ctx, A.rows);
    fill<double>(ctx, 0.0, x);
    return solver.solve(ctx, b, x, choices).reason;
  };
  EXPECT_EQ(solve({.max_iterations = 1}), StopReason::max_iterations);
  EXPECT_EQ(solve({.max_iterations = 2}), StopReason::max_iterations);
  EXPECT_EQ(solve({.tolerance = 0.0}), StopReason::stagnated);
}

// What came out is projected, and handed over whole.
TYPED_TEST(SingularSystems, AStopBehindTheLastIterationComesTooLate) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = mixed_blocks<double>(host).A;
  const auto there = reference::upload(ctx, borrow(A));
  const MultiVector<double, typename TypeParam::Space> b =
      reference::upload(ctx, reference::random_values<double>(static_cast<std::size_t>(A.rows), 8));
  AmgSolver<double, typename TypeParam::Space> solver({}, {});
  solver.setup(ctx, borrow(there));
  MultiVector<double, typename TypeParam::Space> x(ctx, A.rows);
  const auto solve = [&](int stop_at) {
    fill<double>(ctx, 0.0, x);
    int asked = 0;
    ctx.set_stop([&] { return ++asked == stop_at; });
    const SolveResult result = solver.solve(ctx, b, x);
    ctx.set_stop({});
    return std::pair(result.reason, asked);
  };
  const auto [reason, last] = solve(0);
  EXPECT_EQ(reason, StopReason::converged);
  for (int stop_at = last; stop_at > last - 8; --stop_at) {
    EXPECT_NO_THROW(solve(stop_at)) << "asked " << stop_at << " of " << last << " times";
  }
}

TYPED_TEST(SingularSystems, AGuessThatIsRefusedStaysAsItIs) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = poisson<double>(host, reference::grid({30, 30}), Boundary::neumann);
  const auto rows = static_cast<std::size_t>(A.rows);
  AmgSolver<double, typename TypeParam::Space> solver({}, {});
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  const auto b = reference::upload(ctx, reference::random_values<double>(2 * rows, 8), 2);
  std::vector<double> guess(2 * rows, 5.0);
  guess.front() = std::numeric_limits<double>::infinity();
  MultiVector<double, typename TypeParam::Space> x = reference::upload(ctx, guess, 2);
  EXPECT_THROW(solver.solve(ctx, b, x), InputError);
  EXPECT_EQ(reference::download(ctx, x), guess);
}

TYPED_TEST(SingularSystems, OfARightHandSideInTheNullSpaceNothingIsLeft) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const StructuredGrid& grid : {reference::grid({40, 30}), reference::grid({400, 300})}) {
    const auto A = poisson<double>(host, grid, Boundary::neumann);
    const auto solved = solve(ctx, A, std::vector<double>(static_cast<std::size_t>(A.rows), 3.0), {});
    EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
    EXPECT_NEAR(solved.result.outside_range, 1.0, 1e-12);
    for (const double entry : solved.x) {
      EXPECT_NEAR(entry, 0.0, 1e-10);
    }
  }
}

TYPED_TEST(SingularSystems, TheNullVectorNeedNotBeTheConstant) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // D A D maps D⁻¹ 1 to zero.
  auto A = poisson<double>(host, reference::grid({50, 40}), Boundary::neumann);
  const auto d = [](std::size_t i) { return 1.0 + static_cast<double>(i % 5); };
  std::vector<double> candidate(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    candidate[i] = 1.0 / d(i);
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      A.values[k] *= d(i) * d(static_cast<std::size_t>(A.col_indices[k]));
    }
  }
  const auto solved = solve(ctx, A, reference::random_values<double>(candidate.size(), 2), {}, candidate);
  EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
  EXPECT_LE(solved.result.iterations, 20);
  EXPECT_GT(solved.result.outside_range, 0.0);
  EXPECT_NEAR(std::inner_product(candidate.begin(), candidate.end(), solved.x.begin(), 0.0), 0.0, 1e-9);
}

TYPED_TEST(SingularSystems, BlocksOfUnknownsHaveANullVectorEach) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  // Two unknowns a node that know nothing of each other, by different scales.
  const auto A = poisson<double>(host, reference::grid({24, 20}), Boundary::neumann);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (Index unknown = 0; unknown < 2; ++unknown) {
      for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]);
           ++k) {
        entries.push_back(
            {2 * static_cast<Index>(i) + unknown, 2 * A.col_indices[k] + unknown, A.values[k] * (1.0 + unknown)});
      }
    }
  }
  const auto both = reference::matrix_from_entries<double>(host, 2 * A.rows, 2 * A.rows, entries);
  AmgOptions amg;
  amg.block_size = 2;
  const auto solved = solve(ctx, both, reference::random_values<double>(2 * static_cast<std::size_t>(A.rows), 4), amg);
  EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
  double sums[2] = {0.0, 0.0};
  for (std::size_t i = 0; i < solved.x.size(); ++i) {
    sums[i % 2] += solved.x[i];
  }
  EXPECT_NEAR(sums[0], 0.0, 1e-9);
  EXPECT_NEAR(sums[1], 0.0, 1e-9);
}

TYPED_TEST(SingularSystems, NewValuesMayEndOrBeginIt) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto singular = poisson<double>(host, reference::grid({40, 30}), Boundary::neumann);
  auto regular = poisson<double>(host, reference::grid({40, 30}), Boundary::neumann);
  for (std::size_t i = 0; i < static_cast<std::size_t>(regular.rows); ++i) {
    for (auto k = static_cast<std::size_t>(regular.row_offsets[i]);
         k < static_cast<std::size_t>(regular.row_offsets[i + 1]); ++k) {
      regular.values[k] += regular.col_indices[k] == static_cast<Index>(i) ? 0.01 : 0.0;
    }
  }
  const auto singular_there = reference::upload(ctx, borrow(singular));
  const auto regular_there = reference::upload(ctx, borrow(regular));
  const MultiVector<double, S> b =
      reference::upload(ctx, std::vector<double>(static_cast<std::size_t>(singular.rows), 1.0));
  for (const Reuse reuse : {Reuse::none, Reuse::pattern, Reuse::hierarchy}) {
    SolverOptions options;
    options.reuse = reuse;
    AmgSolver<double, S> solver({}, options);
    const auto outside = [&] {
      MultiVector<double, S> x(ctx, singular.rows);
      fill<double>(ctx, 0.0, x);
      const SolveResult result = solver.solve(ctx, b, x);
      EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
      return result.outside_range;
    };
    solver.setup(ctx, borrow(regular_there));
    EXPECT_EQ(outside(), 0.0);
    solver.update_values(ctx, borrow(singular_there));
    EXPECT_NEAR(outside(), 1.0, 1e-12);
    solver.update_values(ctx, borrow(regular_there));
    EXPECT_EQ(outside(), 0.0);
  }
}

}  // namespace
}  // namespace amgsolve
