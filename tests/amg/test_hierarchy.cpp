#include "amg/hierarchy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "amg/coarsening.hpp"
#include "amg/cycle.hpp"
#include "amg/diagonal.hpp"
#include "amg/spectral_radius.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/random.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class HierarchyTest : public reference::SpaceTest<typename I::Space> {
 protected:
  using Space = typename I::Space;

  CsrMatrix<double, Space> poisson(std::int64_t nx, std::int64_t ny) {
    const auto problem = reference::poisson(reference::grid({nx, ny}), Discretization::fd);
    return generate_matrix<double>(ctx(), problem);
  }

  MultiVector<double, Space> ones(Index rows) {
    MultiVector<double, Space> x(ctx(), rows);
    fill<double>(ctx(), 1.0, x);
    return x;
  }

  /// Made at the first use, which a test that is skipped has not.
  Context<Space>& ctx() {
    if (!ctx_) {
      ctx_.emplace();
    }
    return *ctx_;
  }

 private:
  std::optional<Context<Space>> ctx_;
};
TYPED_TEST_SUITE(HierarchyTest, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(HierarchyTest, LevelsAreCoarsenedByTheKindOfTheirCouplings) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  const auto expect = [&](const GeneratedProblem& problem, CouplingKind kind, double finest, double below) {
    CsrMatrix<double, S> level = generate_matrix<double>(ctx, problem);
    MultiVector<double, S> candidates = this->ones(level.rows);
    CouplingKind finer = CouplingKind::directed;
    for (int l = 0; l < 2; ++l) {
      const Buffer<double, S> d = positive_diagonal(ctx, level, l);
      Coarsening<double, S> coarsening(ctx, level, d.span(), candidates, 1, l, finer, {});
      finer = coarsening.kind();
      EXPECT_EQ(finer, kind);
      EXPECT_EQ(coarsening.strength_threshold(), l == 0 ? finest : below);
      const double rho = spectral_radius<double, S>(ctx, level, d, 10);
      level = coarsening.form(ctx, level, level, d.span(), rho, candidates, false).A;
    }
  };
  GeneratedProblem problem = reference::poisson(reference::grid({64, 64}), Discretization::fd);
  expect(problem, CouplingKind::plain, 0.35, 0.35);
  problem.pde = Pde::diffusion;
  problem.coefficient.type = CoefficientType::random;
  problem.coefficient.block = 1;
  problem.coefficient.high = 1e4;
  expect(problem, CouplingKind::uneven, 0.45, 0.45);
  problem = reference::poisson(reference::grid({64, 64}), Discretization::q1);
  problem.pde = Pde::diffusion;
  problem.anisotropy = {.epsilon = 1e-3, .angle = 30.0};
  expect(problem, CouplingKind::directed, 0.6, 0.38);
}

TYPED_TEST(HierarchyTest, CoarseMatrixIsTheGalerkinProduct) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  const CsrMatrix<double, S> A = this->poisson(20, 18);
  MultiVector<double, S> candidates = this->ones(A.rows);
  const Buffer<double, S> d = positive_diagonal(ctx, A, 0);
  Coarsening<double, S> coarsening(ctx, A, d.span(), candidates, 1, 0, CouplingKind::directed, {});
  const auto coarse =
      coarsening.form(ctx, A, A, d.span(), spectral_radius<double, S>(ctx, A, d, 10), candidates, false);
  EXPECT_EQ(candidates.rows(), coarsening.aggregates());
  const auto dense = [&](const CsrMatrix<double, S>& matrix) {
    return reference::to_dense(reference::download(ctx, borrow(matrix)));
  };
  const auto P = dense(coarse.P);
  const auto expected = reference::multiply(reference::transpose(P), reference::multiply(dense(A), P));
  const auto actual = dense(coarse.A);
  ASSERT_EQ(actual.rows, expected.rows);
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    // Sums of at most some hundred products of magnitude ten.
    ASSERT_NEAR(actual.values[i], expected.values[i], 1e-12);
  }
}

TYPED_TEST(HierarchyTest, SummaryAddsUp) {
  using S = typename TypeParam::Space;
  // No direct solver: on the host its memory is not the context's.
  AmgOptions options;
  options.coarse_size = 10;
  options.max_levels = 2;
  options.direct_solve_limit = 0;
  const Hierarchy<double, S> hierarchy(this->ctx(), this->poisson(20, 18), this->ones(360), options);
  const HierarchySummary summary = hierarchy.summary();
  ASSERT_GE(summary.levels.size(), 2U);
  double nnz = 0.0;
  std::size_t bytes = 0;
  for (const LevelSummary& level : summary.levels) {
    nnz += static_cast<double>(level.nnz);
    bytes += level.bytes;
  }
  EXPECT_DOUBLE_EQ(summary.operator_complexity, nnz / static_cast<double>(summary.levels[0].nnz));
  // Nothing but what the summary counts is left of the setup.
  this->ctx().workspace().release();
  EXPECT_EQ(this->ctx().memory().bytes_in_use(), bytes);
}

TYPED_TEST(HierarchyTest, OptionsDecideWhereCoarseningEnds) {
  using S = typename TypeParam::Space;
  const auto levels = [&](const AmgOptions& options) {
    const Hierarchy<double, S> hierarchy(this->ctx(), this->poisson(60, 50), this->ones(3000), options);
    EXPECT_EQ(hierarchy.coarse_solver() == nullptr, hierarchy.levels().back().smoother != nullptr);
    return std::pair(hierarchy.levels().size(), hierarchy.coarse_solver() != nullptr);
  };
  AmgOptions options;
  options.max_levels = 1;
  EXPECT_EQ(levels(options), std::pair(std::size_t{1}, false));
  options.direct_solve_limit = 3000;
  EXPECT_EQ(levels(options), std::pair(std::size_t{1}, true));
  options = {};
  options.coarsening_stall_ratio = 0.01;
  EXPECT_EQ(levels(options), std::pair(std::size_t{1}, false));
}

TYPED_TEST(HierarchyTest, MorePassesMakeSmallerAggregates) {
  using S = typename TypeParam::Space;
  const auto aggregates = [&](std::vector<int> passes) {
    AmgOptions options;
    options.aggregation_passes = std::move(passes);
    options.coarse_size = 10;
    const Hierarchy<double, S> hierarchy(this->ctx(), this->poisson(60, 50), this->ones(3000), options);
    return hierarchy.summary().levels.at(0).aggregates;
  };
  EXPECT_LT(aggregates({1}), aggregates({2}));
  EXPECT_EQ(aggregates({1}), aggregates({1, 3}));
}

/// The symmetric cycles, also where the hierarchy is deep.
TYPED_TEST(HierarchyTest, KeepsAggregatesWhereTheyAreAskedFor) {
  using S = typename TypeParam::Space;
  AmgOptions options;
  options.coarse_size = 10;
  const Hierarchy<double, S> without(this->ctx(), this->poisson(60, 50), this->ones(3000), options);
  options.keeps_aggregates = true;
  const Hierarchy<double, S> hierarchy(this->ctx(), this->poisson(60, 50), this->ones(3000), options);
  EXPECT_GT(hierarchy.summary().levels[0].bytes, without.summary().levels[0].bytes);
  ASSERT_GE(hierarchy.levels().size(), 3U);
  for (std::size_t l = 0; l < hierarchy.levels().size(); ++l) {
    EXPECT_TRUE(without.levels()[l].aggregate_of_node.empty());
    const Level<double, S>& level = hierarchy.levels()[l];
    const std::vector<Index> of_node = reference::download(this->ctx(), level.aggregate_of_node.span());
    if (l + 1 == hierarchy.levels().size()) {
      EXPECT_TRUE(of_node.empty());
      break;
    }
    ASSERT_EQ(static_cast<Index>(of_node.size()), level.A.rows());
    std::vector<int> sizes(static_cast<std::size_t>(level.summary.aggregates));
    for (const Index aggregate : of_node) {
      ASSERT_LT(aggregate, level.summary.aggregates);
      ASSERT_GE(aggregate, l == 0 ? 0 : -1) << "of the finest nodes none is alone";
      if (aggregate >= 0) {
        ++sizes[static_cast<std::size_t>(aggregate)];
      }
    }
    EXPECT_GE(std::ranges::min(sizes), 1);
  }
}

TYPED_TEST(HierarchyTest, CycleIsASymmetricPreconditioner) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  for (const CycleType type : {CycleType::v, CycleType::w}) {
    AmgOptions options;
    options.coarse_size = 10;
    options.cycle = type;
    const Hierarchy<double, S> hierarchy(ctx, this->poisson(30, 25), this->ones(750), options);
    Cycle<double, S> cycle(ctx, hierarchy, options);
    MultiVector<double, S> u(ctx, 750);
    MultiVector<double, S> v(ctx, 750);
    fill_random<double>(ctx, 1, u);
    fill_random<double>(ctx, 2, v);
    const auto inner = [&](MultiVectorView<const double, S> x_there, MultiVectorView<const double, S> y_there) {
      const auto x = reference::download(ctx, x_there.span());
      const auto y = reference::download(ctx, y_there.span());
      double sum = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        sum += x[i] * y[i];
      }
      return sum;
    };
    const double vMu = inner(std::as_const(v), cycle.apply(ctx, std::as_const(u)));
    const double uMv = inner(std::as_const(u), cycle.apply(ctx, std::as_const(v)));
    const double uMu = inner(std::as_const(u), cycle.apply(ctx, std::as_const(u)));
    EXPECT_NEAR(vMu, uMv, 1e-12 * uMu);
    EXPECT_GT(uMu, 0.0);
  }
}

TYPED_TEST(HierarchyTest, CyclesVisitCoarseLevelsAsOftenAsTheirNamesSay) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  AmgOptions options;
  options.coarse_size = 10;
  options.aggregation_passes = {1};
  const Hierarchy<double, S> hierarchy(ctx, this->poisson(60, 50), this->ones(3000), options);
  const auto levels = static_cast<int>(hierarchy.levels().size());
  ASSERT_GE(levels, 4);
  ASSERT_NE(hierarchy.coarse_solver(), nullptr);
  MultiVector<double, S> b = this->ones(3000);
  // The coarsest level is solved once by a V-cycle. W- and K-cycles go twice to every level that is not solved exactly,
  // an F-cycle once as such and once as a V-cycle.
  for (const auto& [type, visits] : {std::pair(CycleType::v, 1),
                                     {CycleType::w, 1 << (levels - 2)},
                                     {CycleType::f, levels - 1},
                                     {CycleType::k, 1 << (levels - 2)}}) {
    options.cycle = type;
    Cycle<double, S> cycle(ctx, hierarchy, options);
    ctx.profile().clear();
    cycle.apply(ctx, std::as_const(b));
    std::int64_t solves = 0;
    for (const Profile::Node& node : ctx.profile().nodes()) {
      solves += node.phase == "coarse solve" ? node.calls : 0;
    }
    EXPECT_EQ(solves, visits);
  }
}

TYPED_TEST(HierarchyTest, OnlyWhatACoarserCycleLeavesIsOverCorrected) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  MultiVector<double, S> b(ctx, 3000);
  fill_random<double>(ctx, 1, b);
  for (const CycleType type : {CycleType::v, CycleType::w, CycleType::f}) {
    for (const int levels : {2, 3}) {
      AmgOptions options;
      options.coarse_size = 10;
      options.max_levels = levels;
      options.direct_solve_limit = 3000;
      options.cycle = type;
      const Hierarchy<double, S> hierarchy(ctx, this->poisson(60, 50), this->ones(3000), options);
      ASSERT_EQ(hierarchy.levels().size(), static_cast<std::size_t>(levels));
      const auto corrected_by = [&](double factor) {
        options.over_correction = factor;
        Cycle<double, S> cycle(ctx, hierarchy, options);
        return reference::download(ctx, cycle.apply(ctx, std::as_const(b)).span());
      };
      // The correction from an exact solve, or from more than one visit, is right as it is.
      EXPECT_EQ(corrected_by(1.0) == corrected_by(1.3), levels == 2 || type != CycleType::v);
    }
  }
}

/// Whatever the couplings, of which directed ones take two steps else.
TYPED_TEST(HierarchyTest, ADampingOfZeroLeavesProlongatorsAsTheyAre) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  GeneratedProblem rotated = reference::poisson(reference::grid({64, 64}), Discretization::q1);
  rotated.pde = Pde::diffusion;
  rotated.anisotropy = {.epsilon = 1e-3, .angle = 30.0};
  AmgOptions options;
  options.prolongator_damping = 0.0;
  const Hierarchy<double, S> hierarchy(ctx, generate_matrix<double>(ctx, rotated), this->ones(4096), options);
  const Operator<double, S>& P = hierarchy.levels().front().P;
  Context<Host> host;
  const CsrMatrix<double, Host> there = P.to_csr(ctx, host);
  EXPECT_EQ(std::ranges::count_if(there.values.span(), [](double value) { return value != 0.0; }), P.rows());
}

}  // namespace
}  // namespace amgsolve
