#include "amg/hubs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "amg/coarsening.hpp"
#include "amg/diagonal.hpp"
#include "amg/solver.hpp"
#include "amg/spectral_radius.hpp"
#include "amg/tentative.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/networks.hpp"
#include "tests/reference/spaces.hpp"

/// Rows that are dense beside the others.
namespace amgsolve {
namespace {

/// Some nodes that are coupled with all others, which are those of a grid or, without links between them, on their own.
struct Arrow {
  Index side = 60;  ///< of the grid
  Index hubs = 1;   ///< the nodes that come first
  double to_hub = 0.3;
  bool has_grid = true;
  double shift = 0.0;    ///< 0: singular, with the constant in the null space
  Index block_size = 1;  ///< unknowns a node, each coupled with its like

  Index nodes() const { return hubs + side * side; }

  template <class T>
  CsrMatrix<T, Host> matrix(Context<Host>& ctx) const {
    std::vector<reference::Entry> links;
    for (Index i = hubs; i < nodes(); ++i) {
      for (Index hub = 0; hub < hubs; ++hub) {
        links.push_back({hub, i, to_hub});
      }
      if (has_grid && (i - hubs) % side != 0) {
        links.push_back({i - 1, i, 1.0});
      }
      if (has_grid && i - hubs >= side) {
        links.push_back({i - side, i, 1.0});
      }
    }
    std::vector<double> diagonal(static_cast<std::size_t>(nodes()), shift);
    std::vector<reference::Entry> entries;
    const auto add = [&](Index i, Index j, double value) {
      for (Index r = 0; r < block_size; ++r) {
        entries.push_back({i * block_size + r, j * block_size + r, value});
      }
    };
    for (const auto& [i, j, weight] : links) {
      add(i, j, -weight);
      add(j, i, -weight);
      diagonal[static_cast<std::size_t>(i)] += weight;
      diagonal[static_cast<std::size_t>(j)] += weight;
    }
    for (Index i = 0; i < nodes(); ++i) {
      add(i, i, diagonal[static_cast<std::size_t>(i)]);
    }
    return reference::matrix_from_entries<T>(ctx, nodes() * block_size, nodes() * block_size, entries);
  }
};

template <class I>
class Hubs : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Hubs, reference::Instances, reference::InstanceNames);

TYPED_TEST(Hubs, AreTheNodesOfRowsThatAreDenseBesideTheOthers) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  for (const Arrow& arrow :
       {Arrow{}, Arrow{.side = 100, .hubs = 5}, Arrow{.block_size = 2}, Arrow{.has_grid = false}}) {
    const CsrMatrix<T, Host> A = arrow.matrix<T>(host);
    std::vector<Index> expected;
    std::vector<reference::Entry> rest;
    for (Index i = 0; i < A.rows; ++i) {
      if (i < arrow.hubs * arrow.block_size) {
        rest.push_back({i, i, 0.0});
        continue;
      }
      for (Offset k = A.row_offsets.data()[i]; k < A.row_offsets.data()[i + 1]; ++k) {
        rest.push_back({i, A.col_indices.data()[k], static_cast<double>(A.values.data()[k])});
      }
    }
    for (Index hub = 0; hub < arrow.hubs; ++hub) {
      expected.push_back(hub);
    }
    const auto expected_rest = reference::matrix_from_entries<T>(host, A.rows, A.cols, rest);
    reference::for_contexts<S>([&](Context<S>& ctx) {
      const auto there = reference::upload(ctx, borrow(A));
      EXPECT_EQ(reference::download(ctx, find_hubs(ctx, there, arrow.block_size).span()), expected);
      EXPECT_TRUE(
          reference::identical(reference::download(ctx, without_hubs(ctx, there, arrow.block_size)), expected_rest));
    });
  }
}

TYPED_TEST(Hubs, AreNoneWhereAllRowsAreLong) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // All rows full, and one of 145 entries, less than 5 √961.
  for (const Arrow& arrow : {Arrow{.side = 1, .hubs = 60}, Arrow{.side = 12}}) {
    EXPECT_TRUE(find_hubs(ctx, reference::upload(ctx, arrow.matrix<T>(host)), 1).empty());
  }
}

/// P of a level whose candidates are constants, and whether it reproduces them.
template <class T, MemorySpace S>
CsrMatrix<T, Host> checked_prolongator(Context<S>& ctx, const CsrMatrix<T, Host>& A, Index block_size,
                                       StrengthMeasure measure) {
  const auto there = reference::upload(ctx, borrow(A));
  const Buffer<T, S> d = positive_diagonal(ctx, there, 0);
  MultiVector<T, S> candidates(ctx, A.rows, block_size);
  fill_constant_candidates<T>(ctx, candidates);
  AmgOptions options;
  options.strength.measure = measure;
  Coarsening<T, S> coarsening(ctx, there, d.span(), candidates, block_size, {}, options);
  const double rho = spectral_radius<T, S>(ctx, there, d, 10);
  CoarseLevel<T, S> coarse = coarsening.form(ctx, there, there, d.span(), rho, candidates, false);
  CsrMatrix<T, Host> P = reference::download(ctx, std::move(coarse.P));
  const std::vector<T> B = reference::download(ctx, candidates);
  for (Index i = 0; i < P.rows; ++i) {
    std::vector<double> sums(static_cast<std::size_t>(block_size));
    for (Offset k = P.row_offsets.data()[i]; k < P.row_offsets.data()[i + 1]; ++k) {
      for (std::size_t c = 0; c < sums.size(); ++c) {
        sums[c] += static_cast<double>(P.values.data()[k]) *
                   static_cast<double>(B[static_cast<std::size_t>(P.col_indices.data()[k]) * sums.size() + c]);
      }
    }
    for (Index c = 0; c < block_size; ++c) {
      // Rows of some ten entries of magnitude one, lumped from that many.
      EXPECT_NEAR(sums[static_cast<std::size_t>(c)], i % block_size == c ? 1.0 : 0.0,
                  100 * std::numeric_limits<T>::epsilon())
          << "row " << i;
    }
  }
  return P;
}

TYPED_TEST(Hubs, AreAggregatesOfTheirOwnAndAllRowsKeepTheConstants) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  for (const StrengthMeasure measure : {StrengthMeasure::automatic, StrengthMeasure::symmetric}) {
    for (const Arrow& arrow : {Arrow{}, Arrow{.to_hub = 1.0}, Arrow{.side = 80, .hubs = 3, .to_hub = 1e-3},
                               Arrow{.has_grid = false}, Arrow{.block_size = 2}}) {
      SCOPED_TRACE(::testing::Message() << arrow.hubs << " hubs by " << arrow.to_hub);
      const CsrMatrix<T, Host> A = arrow.matrix<T>(host);
      const auto expected = checked_prolongator<T, Host>(host, A, arrow.block_size, measure);
      for (Index i = 0; i < arrow.hubs * arrow.block_size; ++i) {
        const Offset begin = expected.row_offsets.data()[i];
        // A row of T: its own column, and the zeros of the other unknowns'.
        EXPECT_EQ(expected.row_offsets.data()[i + 1] - begin, arrow.block_size);
        EXPECT_EQ(std::abs(expected.values.data()[begin + i % arrow.block_size]), T{1});
      }
      reference::for_contexts<S>([&](Context<S>& ctx) {
        const auto P = checked_prolongator<T, S>(ctx, A, arrow.block_size, measure);
        EXPECT_EQ(reference::download(host, P.row_offsets.span()),
                  reference::download(host, expected.row_offsets.span()));
        EXPECT_EQ(reference::download(host, P.col_indices.span()),
                  reference::download(host, expected.col_indices.span()));
      });
    }
  }
}

template <class I>
class HubsInDouble : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(HubsInDouble, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(HubsInDouble, CoarsenInLinearMemoryAndConvergeAsTheGridDoes) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const double to_hub : {1e-3, 1.0}) {
    for (const Arrow& arrow : {Arrow{.side = 70, .to_hub = to_hub, .shift = 0.01},
                               Arrow{.side = 70, .hubs = 5, .to_hub = to_hub, .shift = 0.01},
                               Arrow{.side = 70, .to_hub = to_hub, .has_grid = false, .shift = 0.01},
                               Arrow{.side = 70, .to_hub = to_hub, .shift = 0.01, .block_size = 2}}) {
      SCOPED_TRACE(::testing::Message() << arrow.hubs << " hubs by " << to_hub << (arrow.has_grid ? ", grid" : ""));
      const auto A = reference::upload(ctx, arrow.matrix<T>(host));
      AmgOptions amg;
      amg.block_size = arrow.block_size;
      SolverOptions options;
      options.max_iterations = 14;
      options.reuse = Reuse::pattern;
      AmgSolver<T, S> solver(amg, options);
      solver.setup(ctx, borrow(A));
      // A filter that drops as little as the links to one hub is left out for blocks.
      EXPECT_LE(solver.summary().operator_complexity, arrow.block_size > 1 ? 1.95 : 1.75);
      const auto solve = [&] {
        MultiVector<T, S> b(ctx, A.rows);
        MultiVector<T, S> x(ctx, A.rows);
        fill<T>(ctx, T{1}, b);
        fill<T>(ctx, T{0}, x);
        const SolveResult result = solver.solve(ctx, std::as_const(b), x);
        EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
        return reference::download(ctx, x);
      };
      const std::vector<T> x = solve();
      solver.update_values(ctx, borrow(A));
      EXPECT_EQ(solve(), x);
    }
  }
}

// A smoothed prolongator would touch nearly everything there: the second level was full, with seven times the entries.
TYPED_TEST(HubsInDouble, AndOtherNodesOfNetworksKeepCoarseLevelsSparse) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const auto& network : {&reference::grown_network<T>, &reference::random_network<T>}) {
    const auto A = reference::upload(ctx, network(host, 15'000));
    EXPECT_TRUE(find_hubs(ctx, A, 1).empty());
    SolverOptions options;
    options.reuse = Reuse::pattern;
    AmgSolver<T, S> solver({}, options);
    solver.setup(ctx, borrow(A));
    EXPECT_LE(solver.summary().operator_complexity, 2.5);
    EXPECT_EQ(solver.summary().levels.front().truncation, 1.0);
    MultiVector<T, S> b(ctx, A.rows);
    fill<T>(ctx, T{1}, b);
    const auto solve = [&] {
      MultiVector<T, S> x(ctx, A.rows);
      fill<T>(ctx, T{0}, x);
      const SolveResult result = solver.solve(ctx, std::as_const(b), x);
      EXPECT_EQ(result.reason, StopReason::converged);
      EXPECT_LE(result.iterations, 12);
      return reference::download(ctx, x);
    };
    const auto before = solve();
    solver.update_values(ctx, borrow(A));
    EXPECT_EQ(solve(), before);
  }
}

}  // namespace
}  // namespace amgsolve
