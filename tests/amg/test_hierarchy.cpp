#include "amg/hierarchy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "amg/coarsening.hpp"
#include "amg/cycle.hpp"
#include "amg/diagonal.hpp"
#include "amg/spectral_radius.hpp"
#include "amg/tentative.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/random.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
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
    FinerLevels finer;
    for (int l = 0; l < 2; ++l) {
      const Buffer<double, S> d = positive_diagonal(ctx, level, l);
      Coarsening<double, S> coarsening(ctx, level, d.span(), candidates, 1, finer, {});
      EXPECT_EQ(coarsening.kind(), kind);
      EXPECT_EQ(coarsening.strength_threshold(), l == 0 ? finest : below);
      const double rho = spectral_radius<double, S>(ctx, level, d, 10);
      level = coarsening.form(ctx, level, level, d.span(), rho, candidates, false).A;
      finer = finer.below(kind, 0.5);
    }
  };
  GeneratedProblem problem = reference::poisson(reference::grid({64, 64}), Discretization::fd);
  expect(problem, CouplingKind::plain, 0.35, 0.35);
  problem.pde = Pde::diffusion;
  problem.coefficient.type = CoefficientType::random;
  problem.coefficient.block = 1;
  problem.coefficient.high = 1e4;
  expect(problem, CouplingKind::uneven, 0.5, 0.45);
  problem = reference::poisson(reference::grid({64, 64}), Discretization::q1);
  problem.pde = Pde::diffusion;
  problem.anisotropy = {.epsilon = 1e-3, .angle = 30.0};
  expect(problem, CouplingKind::directed, 0.6, 0.38);
}

TYPED_TEST(HierarchyTest, WhereMostCouplingsArePositiveTheSymmetricMeasureServes) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  Context<Host> host;
  constexpr Index nodes = 360;
  // A strip of a grid, with one and two unknowns a node.
  for (const Index block_size : {1, 2}) {
    const Index rows = nodes * block_size;
    std::vector<reference::Entry> entries;
    for (Index i = 0; i < rows; ++i) {
      for (const Index distance : {-20, -1, 0, 1, 20}) {
        const Index j = i + distance * block_size;
        if (j >= 0 && j < rows) {
          entries.push_back({i, j, distance == 0 ? 4.1 : 1.0});
        }
      }
    }
    const auto A = reference::upload(ctx, reference::matrix_from_entries<double>(host, rows, rows, entries));
    const Buffer<double, S> d = positive_diagonal(ctx, A, 0);
    MultiVector<double, S> candidates(ctx, A.rows, block_size);
    fill_constant_candidates<double>(ctx, candidates);
    AmgOptions options;
    const auto coarsened = [&] { return Coarsening<double, S>(ctx, A, d.span(), candidates, block_size, {}, options); };
    EXPECT_EQ(coarsened().strength_threshold(), symmetric_threshold);
    EXPECT_EQ(coarsened().kind(), CouplingKind::plain);
    EXPECT_GT(coarsened().aggregates(), 0);
    options.strength.measure = StrengthMeasure::signed_relative;
    EXPECT_EQ(coarsened().aggregates(), 0);
  }
  EXPECT_TRUE(is_signed_measure(fewest_neighbours * 100, 100, {}));
  EXPECT_FALSE(is_signed_measure(fewest_neighbours * 100 - 1, 100, {}));
}

TYPED_TEST(HierarchyTest, TheSymmetricMeasureFiltersWhereItIsAsked) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  GeneratedProblem problem = reference::poisson(reference::grid({40, 40}), Discretization::q1);
  problem.pde = Pde::diffusion;
  problem.anisotropy = {.epsilon = 1e-3, .angle = 30.0};
  const auto A = generate_matrix<double>(ctx, problem);
  const Buffer<double, S> d = positive_diagonal(ctx, A, 0);
  AmgOptions options;
  options.strength = {.measure = StrengthMeasure::symmetric, .threshold = 0.25};
  const auto entries_of_P = [&](std::optional<bool> filter) {
    options.filter = filter;
    MultiVector<double, S> candidates = this->ones(A.rows);
    Coarsening<double, S> coarsening(ctx, A, d.span(), candidates, 1, {}, options);
    EXPECT_EQ(coarsening.strength_threshold(), 0.25);
    return coarsening.form(ctx, A, A, d.span(), 1.5, candidates, false).P.nnz();
  };
  EXPECT_LT(entries_of_P(true), entries_of_P(false));
  EXPECT_EQ(entries_of_P({}), entries_of_P(false));
}

TYPED_TEST(HierarchyTest, LargeAggregatesOfUnknownsWithoutOtherCandidatesAreFormedAnew) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  const auto mean_size = [&](const StructuredGrid& grid, Index candidates, int passes_below) {
    GeneratedProblem problem = reference::poisson(grid, Discretization::q1);
    problem.pde = Pde::elasticity;
    problem.boundary = Boundary::clamped_face;
    const auto A = generate_matrix<double>(ctx, problem);
    MultiVector<double, S> B(ctx, A.rows, candidates);
    fill_random<double>(ctx, 1, B);
    if (candidates == grid.dimensions) {
      fill_constant_candidates<double>(ctx, B);
    }
    const Buffer<double, S> d = positive_diagonal(ctx, A, 0);
    AmgOptions options;
    options.aggregation_passes = {1, passes_below};
    return Coarsening<double, S>(ctx, A, d.span(), B, grid.dimensions, {}, options).mean_aggregate_size();
  };
  const StructuredGrid cube = reference::grid({10, 11, 11});
  EXPECT_GT(mean_size(cube, 3, 1), largest_plain_aggregate);
  EXPECT_LT(mean_size(cube, 3, 3), mean_size(cube, 3, 1));
  EXPECT_EQ(mean_size(cube, 4, 3), mean_size(cube, 4, 1));
  const StructuredGrid square = reference::grid({30, 31});
  EXPECT_LT(mean_size(square, 2, 1), largest_plain_aggregate);
  EXPECT_EQ(mean_size(square, 2, 3), mean_size(square, 2, 1));
}

TYPED_TEST(HierarchyTest, CoarseMatrixIsTheGalerkinProduct) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  const CsrMatrix<double, S> A = this->poisson(20, 18);
  MultiVector<double, S> candidates = this->ones(A.rows);
  const Buffer<double, S> d = positive_diagonal(ctx, A, 0);
  Coarsening<double, S> coarsening(ctx, A, d.span(), candidates, 1, {}, {});
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
  double rows = 0.0;
  std::size_t bytes = 0;
  for (const LevelSummary& level : summary.levels) {
    nnz += static_cast<double>(level.nnz);
    rows += static_cast<double>(level.rows);
    bytes += level.bytes;
  }
  EXPECT_DOUBLE_EQ(summary.operator_complexity, nnz / static_cast<double>(summary.levels[0].nnz));
  EXPECT_DOUBLE_EQ(summary.grid_complexity, rows / 360.0);
  // Nothing but what the summary counts is left of the setup.
  this->ctx().workspace().release();
  EXPECT_EQ(this->ctx().memory().bytes_in_use(), bytes);
  options.direct_solve_limit = 360;
  const Hierarchy<double, S> solved(this->ctx(), this->poisson(20, 18), this->ones(360), options);
  ASSERT_NE(solved.coarse_solver(), nullptr);
  const Level<double, S>& coarsest = solved.levels().back();
  EXPECT_EQ(solved.summary().levels.back().bytes, coarsest.A.bytes() + solved.coarse_solver()->bytes());
}

TYPED_TEST(HierarchyTest, SmoothersAreToldTheRadiusThatIsKnownOfTheMatrix) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  const CsrMatrix<double, S> A = this->poisson(20, 18);
  const Buffer<double, S> d = positive_diagonal(ctx, A, 0);
  AmgOptions options;
  options.coarse_size = 10;
  options.direct_solve_limit = 0;
  // Told of the steps by its degree.
  const MakeSmoother<double, S> make = [](Context<S>& c, const SmootherInput<double, S>& level,
                                          const SmootherOptions& chosen) {
    EXPECT_EQ(level.spectral_radius_steps, chosen.degree);
    return smoother_maker<double, S>(SmootherType::jacobi)(c, level, chosen);
  };
  for (const MatrixKind kind : {MatrixKind::definite, MatrixKind::general}) {
    for (const int steps : {2, 20}) {
      options.matrix = kind;
      options.spectral_radius_steps = steps;
      options.smoother.degree = steps;
      const double expected = kind == MatrixKind::general ? row_sum_norm<double, S>(ctx, A, d)
                                                          : spectral_radius<double, S>(ctx, A, d, steps);
      for (const int levels : {1, 2}) {
        options.max_levels = levels;
        const Hierarchy<double, S> hierarchy(ctx, borrow(A), this->ones(A.rows), options, Reuse::none, make);
        EXPECT_EQ(hierarchy.summary().levels.front().spectral_radius, expected) << steps << " steps";
      }
    }
  }
}

/// Before the levels below it, or after them.
TYPED_TEST(HierarchyTest, TheFinestMatrixIsStoredAsAnOperatorOfItIs) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  Context<Host> host;
  AmgOptions options;
  options.coarse_size = 50;
  for (const auto& [name, storage] : storage_names()) {
    for (const bool is_alike : {false, true}) {
      SCOPED_TRACE(std::string(name) + (is_alike ? ", alike" : ", random"));
      GeneratedProblem problem = reference::poisson(reference::grid({96, 100}), Discretization::fd);
      if (!is_alike) {
        problem.pde = Pde::diffusion;
        problem.coefficient.type = CoefficientType::random;
        problem.coefficient.block = 1;
      }
      const auto A = generate_matrix<double>(ctx, problem);
      const Operator<double, S> expected(ctx, generate_matrix<double>(ctx, problem), storage);
      EXPECT_EQ((Operator<double, S>::beside(ctx, A, storage).is_light()), is_alike && expected.is_light());
      options.storage = storage;
      const Hierarchy<double, S> hierarchy(ctx, generate_matrix<double>(ctx, problem), this->ones(A.rows), options);
      const Operator<double, S>& finest = hierarchy.levels().front().A;
      EXPECT_EQ(finest.storage(), expected.storage());
      EXPECT_EQ(finest.bytes(), expected.bytes());
      EXPECT_TRUE(reference::identical(reference::download(ctx, borrow(A)), finest.to_csr(ctx, host)));
      const LevelSummary line = hierarchy.summary().levels.front();
      EXPECT_EQ(line.storage, expected.storage());
      const Buffer<double, S> d = positive_diagonal(ctx, A, 0);
      EXPECT_NEAR(line.spectral_radius, (spectral_radius<double, S>(ctx, A, d, options.spectral_radius_steps)), 1e-12);
    }
  }
}

/// On the host before their spectral radius is estimated, to the bits of products in CSR.
TYPED_TEST(HierarchyTest, CoarseMatricesAreStoredAsOperatorsOfThemAre) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  AmgOptions options;
  options.coarse_size = 20;
  for (const MatrixKind kind : {MatrixKind::definite, MatrixKind::general}) {
    options.matrix = kind;
    for (const auto& [name, storage] : storage_names()) {
      SCOPED_TRACE(name);
      options.storage = storage;
      const auto A = this->poisson(96, 100);
      const Hierarchy<double, S> hierarchy(ctx, borrow(A), this->ones(A.rows), options);
      ASSERT_GT(hierarchy.levels().size(), 2U);
      const Operator<double, S>& coarse = hierarchy.levels()[1].A;
      const CsrMatrix<double, S> matrix = coarse.to_csr(ctx);
      const Operator<double, S> expected(ctx, coarse.to_csr(ctx), storage);
      EXPECT_EQ(coarse.storage(), expected.storage());
      EXPECT_EQ(coarse.bytes(), expected.bytes());
      const Buffer<double, S> d = positive_diagonal(ctx, matrix, 1);
      const double rho = kind == MatrixKind::general
                             ? row_sum_norm<double, S>(ctx, matrix, d)
                             : spectral_radius<double, S>(ctx, matrix, d, options.spectral_radius_steps);
      EXPECT_EQ(hierarchy.summary().levels[1].spectral_radius, rho);
    }
  }
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

/// The symmetric cycles, also where the hierarchy is deep.
TYPED_TEST(HierarchyTest, CycleIsASymmetricPreconditioner) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  for (const CycleType type : {CycleType::v, CycleType::w}) {
    AmgOptions options;
    options.coarse_size = 10;
    options.cycle = type;
    const Hierarchy<double, S> hierarchy(ctx, this->poisson(30, 25), this->ones(750), options);
    EXPECT_GE(hierarchy.levels().size(), 3U);
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

TYPED_TEST(HierarchyTest, CyclesSweepAsOftenAsTheyAreToldOnEachSide) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  AmgOptions options;
  options.max_levels = 1;
  options.direct_solve_limit = 0;
  options.smoother.type = SmootherType::gauss_seidel;
  const Hierarchy<double, S> hierarchy(ctx, this->poisson(30, 25), this->ones(750), options);
  const Level<double, S>& level = hierarchy.levels().front();
  MultiVector<double, S> b(ctx, 750);
  fill_random<double>(ctx, 1, b);
  for (const auto& [before, after] : {std::pair(1, 1), {2, 1}, {1, 2}, {0, 3}, {3, 0}}) {
    options.smoother.pre_sweeps = before;
    options.smoother.post_sweeps = after;
    Cycle<double, S> cycle(ctx, hierarchy, options);
    Iterate<double, S> iterate{MultiVector<double, S>(ctx, 750), MultiVector<double, S>(ctx, 750)};
    fill<double>(ctx, 0.0, iterate.x);
    for (int sweep = 0; sweep < before + after; ++sweep) {
      const Side side = sweep < before ? Side::before : Side::after;
      level.smoother->sweep(ctx, level.A, side, before > 0 && sweep == 0 ? Start::zero : Start::x, std::as_const(b),
                            iterate);
    }
    EXPECT_EQ(reference::download(ctx, cycle.apply(ctx, std::as_const(b)).span()), reference::download(ctx, iterate.x))
        << before << " and " << after;
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
  EXPECT_EQ(there.nnz(), P.rows());
  EXPECT_EQ(std::ranges::count(there.values.span(), 0.0), 0);
}

TYPED_TEST(HierarchyTest, StepsOfProlongatorsAreThoseAskedForByEitherMeasure) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  const CsrMatrix<double, S> A = this->poisson(40, 40);
  AmgOptions options;
  options.coarse_size = 100;
  for (const StrengthMeasure measure :
       {StrengthMeasure::automatic, StrengthMeasure::signed_relative, StrengthMeasure::symmetric}) {
    options.strength.measure = measure;
    Offset nnz_of_one = 0;
    for (const int steps : {1, 2}) {
      options.prolongator_steps = steps;
      const Hierarchy<double, S> hierarchy(ctx, borrow(A), this->ones(A.rows), options);
      const std::vector<LevelSummary> levels = hierarchy.summary().levels;
      for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
        EXPECT_EQ(levels[l].prolongator_steps, steps);
      }
      EXPECT_GT(hierarchy.levels().front().P.nnz(), nnz_of_one);
      nnz_of_one = hierarchy.levels().front().P.nnz();
    }
  }
}

/// Jumps make the traces of blocks one-sided, too.
TYPED_TEST(HierarchyTest, NodesOfSeveralUnknownsAreNotUneven) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  Context<Host> host;
  GeneratedProblem problem = reference::poisson(reference::grid({64, 64}), Discretization::fd);
  problem.pde = Pde::diffusion;
  problem.coefficient.type = CoefficientType::random;
  problem.coefficient.block = 1;
  problem.coefficient.high = 1e4;
  const CsrMatrix<double, Host> one = generate_matrix<double>(host, problem);
  std::vector<reference::Entry> entries;  // of two unknowns a node, each with the couplings of that one
  for (Index i = 0; i < one.rows; ++i) {
    for (auto k = static_cast<std::size_t>(one.row_offsets[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(one.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
      entries.push_back({2 * i, 2 * one.col_indices[k], one.values[k]});
      entries.push_back({2 * i + 1, 2 * one.col_indices[k] + 1, one.values[k]});
    }
  }
  const auto A =
      reference::upload(ctx, reference::matrix_from_entries<double>(host, 2 * one.rows, 2 * one.rows, entries));
  const Buffer<double, S> d = positive_diagonal(ctx, A, 0);
  MultiVector<double, S> candidates(ctx, A.rows, 2);
  fill_constant_candidates<double>(ctx, candidates);
  const Coarsening<double, S> coarsening(ctx, A, d.span(), candidates, 2, {}, {});
  EXPECT_EQ(coarsening.kind(), CouplingKind::plain);
  EXPECT_EQ(coarsening.strength_threshold(), plain_thresholds.finest);
}

TYPED_TEST(HierarchyTest, OverCorrectionsOfManyLevelsStayDefinite) {
  using S = typename TypeParam::Space;
  Context<S>& ctx = this->ctx();
  AmgOptions options;
  options.coarse_size = 10;
  options.max_levels = 4;
  options.direct_solve_limit = 3000;
  const CsrMatrix<double, S> A = this->poisson(60, 50);
  // On what is smooth they multiply, and may not come to 2, where the cycle would be indefinite.
  std::vector<double> wave(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < wave.size(); ++i) {
    wave[i] = std::sin(std::numbers::pi * static_cast<double>(i % 60 + 1) / 61.0) *
              std::sin(std::numbers::pi * static_cast<double>(i / 60 + 1) / 51.0);
  }
  const MultiVector<double, S> x = reference::upload(ctx, wave);
  MultiVector<double, S> b(ctx, A.rows);
  Operator<double, S>(ctx, borrow(A)).apply(ctx, 1.0, x, 0.0, b);
  const auto product = [&](double factor) {
    options.over_correction = factor;
    const Hierarchy<double, S> hierarchy(ctx, borrow(A), this->ones(A.rows), options);
    EXPECT_EQ(hierarchy.levels().size(), 4U);
    Cycle<double, S> cycle(ctx, hierarchy, options);
    const std::vector<double> z = reference::download(ctx, cycle.apply(ctx, std::as_const(b)).span());
    return std::inner_product(z.begin(), z.end(), wave.begin(), 0.0) /
           std::inner_product(wave.begin(), wave.end(), wave.begin(), 0.0);
  };
  const double without = product(1.0);
  EXPECT_NEAR(product(1.35), 1.35 * 1.35 * without, 0.1 * without);
  EXPECT_NEAR(product(1.5), 1.5 * without, 0.1 * without);
  EXPECT_EQ(product(1.95), without);
}

}  // namespace
}  // namespace amgsolve
