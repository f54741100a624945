#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "amg/approach.hpp"
#include "amg/coarsening_choices.hpp"
#include "amg/diagonal.hpp"
#include "amg/hierarchy.hpp"
#include "amg/shared_coarsening.hpp"
#include "amg/shared_solver.hpp"
#include "amg/solver.hpp"
#include "amg/spectral_radius.hpp"
#include "core/errors.hpp"
#include "dist/halo.hpp"
#include "dist/replicate.hpp"
#include "problems/generate.hpp"
#include "spmv/alike_slices.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_matrices.hpp"
#include "tests/dist/shared_problems.hpp"
#include "tests/dist/shared_solves.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/reuse.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using ranks::Cut;
using ranks::OnRanks;
using ranks::poisson;
using ranks::Problem;
using ranks::problems;
using ranks::share;
using ranks::world;

template <class T>
CsrMatrix<T, Host> as(Context<Host>& ctx, const CsrMatrix<double, Host>& A) {
  return convert_values<T>(ctx, A);
}

/// Row by row.
template <class T>
std::vector<T> candidates_of(const Problem& problem) {
  std::vector<T> B(problem.near_nullspace.begin(), problem.near_nullspace.end());
  for (Index i = 0; problem.near_nullspace.empty() && i < problem.A.rows; ++i) {
    for (Index c = 0; c < problem.unknowns; ++c) {
      B.push_back(i % problem.unknowns == c ? T{1} : T{0});
    }
  }
  return B;
}

/// A layout's window as the host looks it up.
template <MemorySpace S>
struct HostWindow {
  HostWindow(Context<S>& ctx, const Layout<S>& layout)
      : ghosts(reference::download(ctx, layout.ghosts())), columns(layout.window()) {
    columns.ghosts = ghosts.data();
  }
  std::vector<std::int64_t> ghosts;
  WindowColumns columns;
};

/// Whether rows of a window, own ones and others, are those of the whole matrix, and which are own ones.
template <class T, MemorySpace S>
bool has_rows_of(Context<S>& ctx, const WindowStrip<T, S>& strip, const Layout<S>& window,
                 const CsrMatrix<T, Host>& whole) {
  const CsrMatrix<T, Host> rows = reference::download(ctx, borrow(strip.rows.A));
  const HostWindow<S> of_rows(ctx, window);
  const HostWindow<S> of_columns(ctx, *strip.rows.layout);
  Offset own_nnz = 0;
  bool is_same =
      rows.rows == window.columns() && strip.own.first == window.first_own() && strip.own.count == window.own_rows();
  for (Index i = 0; is_same && i < rows.rows; ++i) {
    const auto row = static_cast<std::size_t>(of_rows.columns.row_of(i));
    const Offset begin = rows.row_offsets[static_cast<std::size_t>(i)];
    const Offset shift = whole.row_offsets[row] - begin;
    const Offset length = rows.row_offsets[static_cast<std::size_t>(i) + 1] - begin;
    is_same = length == whole.row_offsets[row + 1] - whole.row_offsets[row];
    own_nnz += of_rows.columns.has_own(i) ? length : 0;
    for (Offset k = begin; is_same && k < begin + length; ++k) {
      const auto here = static_cast<std::size_t>(k);
      const auto there = static_cast<std::size_t>(k + shift);
      is_same = of_columns.columns.row_of(rows.col_indices[here]) == whole.col_indices[there] &&
                rows.values[here] == whole.values[there];
    }
  }
  return is_same && strip.own.nnz == own_nnz;
}

/// All of them, or one where another test has the others.
std::vector<Cut> few_cuts(bool all) { return all ? ranks::all_cuts() : std::vector<Cut>{Cut::uneven}; }

template <class I>
class SharedSetup : public OnRanks<I> {};
TYPED_TEST_SUITE(SharedSetup, reference::Instances, reference::InstanceNames);

TYPED_TEST(SharedSetup, HasTheBitsOfOneRankOnEveryLevel) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  Context<S> whole = ranks::own_context<S>();
  bool filters_blocks = false;
  bool truncates_blocks = false;
  bool counts_finer_levels = false;
  bool takes_symmetric_measure = false;
  bool balances = false;
  for (const Problem& problem : problems(host)) {
    SCOPED_TRACE(problem.name);
    const CsrMatrix<T, Host> A = as<T>(host, problem.A);
    const Index k = problem.candidates();
    const std::vector<T> B = candidates_of<T>(problem);
    AmgOptions options;
    options.storage = Storage::csr;
    options.coarse_size = 50;
    options.block_size = problem.unknowns;
    options.matrix = problem.kind;
    const MultiVector<T, S> all_candidates = reference::upload(whole, B, k);
    const Hierarchy<T, S> expected(whole, upload(whole, A), all_candidates.view(), options);
    const std::vector<LevelSummary> lines = expected.summary().levels;
    ASSERT_GE(lines.size(), 2U);
    for (const Cut cut : few_cuts(sizeof(T) == sizeof(double))) {
      SCOPED_TRACE(to_string(cut));
      Context<S> ctx = ranks::shared_context<S>();
      const Partition partition = problem.partition(cut);
      NodeStrip<T, S> level =
          with_whole_nodes(ctx, to_local(ctx, partition, ranks::upload_rows(ctx, A, partition)), problem.unknowns);
      MultiVector<T, S> candidates =
          reference::upload(ctx, ranks::rows_of(B, partition, world().rank(), static_cast<std::size_t>(k)), k);
      Index block_size = problem.unknowns;
      FinerLevels finer;
      for (std::size_t l = 0; l + 1 < lines.size(); ++l) {
        SCOPED_TRACE(testing::Message() << "level " << l);
        const bool has_blocks = block_size > 1;
        filters_blocks = filters_blocks || (has_blocks && lines[l].dropped_weight > 0.0);
        truncates_blocks = truncates_blocks || (has_blocks && lines[l].truncation > 0.0);
        counts_finer_levels = counts_finer_levels ||
                              (l > 0 && lines[l].truncation > 0.0 && lines[l].density < 0.9 * options.density_limit);
        takes_symmetric_measure = takes_symmetric_measure || lines[l].strength_threshold == symmetric_threshold;
        const Buffer<T, S> d = positive_diagonal(ctx, level.unknowns.A, static_cast<int>(l), problem.kind, false,
                                                 level.unknowns.layout.get());
        const MultiVectorView<const T, S> own = std::as_const(candidates).view();
        const SharedModel<T, S> model(ctx, level, d.span(), own, block_size, static_cast<int>(l), problem.kind);
        Operator<T, S> light;
        auto step = coarsen_shared<T, S>(ctx, level, model, own, block_size, finer, options, light);
        balances = balances || model.are_scaled;
        ASSERT_TRUE(step.has_value());
        if (problem.kind != MatrixKind::general) {  // else smoothers are told another one
          EXPECT_EQ(step->spectral_radius, lines[l].spectral_radius);
        }
        EXPECT_EQ(step->summary.aggregates, lines[l].aggregates);
        EXPECT_EQ(step->summary.mean_aggregate_size, lines[l].mean_aggregate_size);
        EXPECT_EQ(step->summary.strength_threshold, lines[l].strength_threshold);
        EXPECT_EQ(step->summary.dropped_weight, lines[l].dropped_weight);
        EXPECT_EQ(step->summary.prolongator_steps, lines[l].prolongator_steps);
        EXPECT_EQ(step->summary.truncation, lines[l].truncation);
        EXPECT_EQ(step->summary.density, lines[l].density);
        const auto same = [&](const LocalMatrix<T, S>& shared, const Operator<T, S>& stored) {
          return reference::identical(reference::download(ctx, replicate(ctx, shared)), stored.to_csr(whole, host));
        };
        EXPECT_TRUE(has_rows_of(ctx, step->P, *level.unknowns.layout, expected.levels()[l].P.to_csr(whole, host)));
        ASSERT_TRUE(same(step->R, expected.levels()[l].R));
        ASSERT_TRUE(same(step->A.unknowns, expected.levels()[l + 1].A));
        level = std::move(step->A);
        candidates = std::move(step->candidates);
        block_size = k;
        finer = finer.below(step->kind, step->summary.density);
      }
    }
  }
  EXPECT_TRUE(filters_blocks && truncates_blocks && counts_finer_levels && takes_symmetric_measure && balances)
      << "problems that take all turns";
}

/// By storages whose sums of rows on a device differ, of which ranks may have one and the whole matrix another.
TYPED_TEST(SharedSetup, RadiiHaveTheBitsOfOneRankInTheStorageOfProductsBesideTheMatrix) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  Context<S> whole = ranks::own_context<S>();
  constexpr int steps = default_spectral_radius_steps;
  /// Whether products are light of the whole matrix and of equal parts of it.
  const auto expect_same = [&](const CsrMatrix<T, Host>& A_host, Storage storage) {
    const CsrMatrix<T, S> A = upload(whole, A_host);
    Buffer<T, S> d(whole, static_cast<std::size_t>(A.rows));
    extract_diagonal<T>(whole, A, d);
    const auto expected = Operator<T, S>::beside(whole, A, storage);
    const double rho = spectral_radius<T, S>(whole, expected, d, steps, 0);
    bool is_light = expected.is_light();
    for (const Cut cut : ranks::all_cuts()) {
      SCOPED_TRACE(to_string(cut));
      Context<S> ctx = ranks::shared_context<S>();
      const LocalMatrix<T, S> strip = share(ctx, A_host, cut);
      const std::int64_t first_row = strip.layout->first_row();
      const Buffer<T, S> own_d = positive_diagonal(ctx, strip.A, 0, MatrixKind::definite, false, strip.layout.get());
      const auto products =
          Operator<T, S>::beside(ctx, strip.A, storage, std::make_shared<Halo<T, S>>(strip.layout), first_row);
      EXPECT_EQ(has_alike_slices(ctx, strip.A, first_row, A.rows), has_alike_slices(whole, A, 0, A.rows));
      EXPECT_EQ(world().sum(products.is_light() ? 1 : 0) % world().size(), 0) << "all ranks or none";
      EXPECT_EQ((spectral_radius<T, S>(ctx, products, own_d, steps, first_row)), rho);
      is_light = is_light && (products.is_light() || cut != Cut::even);
    }
    return is_light;
  };
  for (const Problem& problem : problems(host)) {
    SCOPED_TRACE(problem.name);
    expect_same(as<T>(host, problem.A), Storage::pattern);
  }
  const GeneratedProblem cube = poisson({54, 54, 54}, Discretization::fd);
  EXPECT_TRUE(expect_same(generate_matrix<T>(host, cube), Storage::automatic)) << "enough entries for a device";
}

TYPED_TEST(SharedSetup, SolvesToTheBitsOfOneRank) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  Context<S> whole = ranks::own_context<S>();
  for (const Problem& problem : problems(host)) {
    for (const Index k : {1, 3}) {
      SCOPED_TRACE(testing::Message() << problem.name << ", k = " << k);
      const CsrMatrix<T, Host> A = as<T>(host, problem.A);
      const auto columns = static_cast<std::size_t>(k);
      const auto b = reference::random_values<T>(static_cast<std::size_t>(A.rows) * columns, 1);
      AmgOptions options;
      options.coarse_size = 50;
      options.direct_solve_limit = 50;
      options.replicate_below = 3000;
      options.set_up_whole_below = k == 1 ? 0 : 1'000'000'000;  // by parts or, but for the finest level, whole
      options.storage = k == 1 ? Storage::automatic : Storage::pattern;
      options.keeps_aggregates = true;
      options.block_size = problem.unknowns;
      if (k > 1) {
        options.smoother.type = SmootherType::chebyshev_opt_fourth;
      }
      AmgSolver<T, S> solver(options, {});
      const std::vector<T> B(problem.near_nullspace.begin(), problem.near_nullspace.end());
      const MultiVector<T, S> given = reference::upload(whole, B, problem.candidates());
      solver.setup(whole, upload(whole, A), given.view());
      MultiVector<T, S> all_x = reference::upload(whole, std::vector<T>(b.size()), k);
      const SolveResult expected = solver.solve(whole, reference::upload(whole, b, k), all_x);
      const std::vector<T> x = reference::download(whole, all_x);
      const HierarchySummary lines = solver.summary();
      const bool takes_long = problem.kind == MatrixKind::general || k > 1 || sizeof(T) < sizeof(double);
      for (const Cut cut : few_cuts(!takes_long)) {
        SCOPED_TRACE(to_string(cut));
        Context<S> ctx = ranks::shared_context<S>();
        ctx.set_records_work(true);
        const Partition partition = problem.partition(cut);
        const auto own_b = ranks::rows_of(b, partition, world().rank(), columns);
        MultiVector<T, S> own_x = reference::upload(ctx, std::vector<T>(own_b.size()), k);
        SharedSolver<T, S> shared(options, {});
        const Index candidates = problem.candidates();
        const MultiVector<T, S> own_given = reference::upload(
            ctx, B.empty() ? B : ranks::rows_of(B, partition, world().rank(), static_cast<std::size_t>(candidates)),
            candidates);
        shared.setup(ctx, ranks::upload_rows(ctx, A, partition), own_given.view());
        EXPECT_GE(shared.shared_levels(), 2U);
        const SolveResult result = shared.solve(ctx, reference::upload(ctx, own_b, k), own_x);
        EXPECT_EQ(result.method, expected.method);
        EXPECT_EQ(result.reason, expected.reason);
        EXPECT_EQ(result.residual_history, expected.residual_history);
        EXPECT_EQ(result.relative_residual, expected.relative_residual);
        EXPECT_EQ(result.backward_error, expected.backward_error);
        EXPECT_EQ(result.outside_range, expected.outside_range);
        EXPECT_TRUE(ranks::same_bits<T>(reference::download(ctx, own_x),
                                        ranks::rows_of(x, partition, world().rank(), columns)));
        const HierarchySummary summary = shared.summary();
        ASSERT_EQ(summary.levels.size(), lines.levels.size());
        for (std::size_t l = 0; l < lines.levels.size(); ++l) {
          EXPECT_EQ(summary.levels[l].rows, lines.levels[l].rows);
          EXPECT_EQ(summary.levels[l].nnz, lines.levels[l].nnz);
          EXPECT_EQ(summary.levels[l].spectral_radius, lines.levels[l].spectral_radius);
        }
        EXPECT_EQ(summary.operator_complexity, lines.operator_complexity);
        EXPECT_EQ(summary.coarse_solver, lines.coarse_solver);
        EXPECT_EQ(shared.aggregates(ctx), solver.aggregates(whole));
      }
    }
  }
}

template <class T>
std::vector<T> random_rhs(const CsrMatrix<T, Host>& A) {
  return reference::random_values<T>(static_cast<std::size_t>(A.rows), 1);
}

TYPED_TEST(SharedSetup, SolvesByEveryCycle) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  const CsrMatrix<T, Host> A = as<T>(host, generate_matrix<double>(host, poisson({19, 21, 23}, Discretization::fd)));
  struct Sweeps {
    int before;
    int after;
  };
  for (const CycleType cycle : {CycleType::v, CycleType::w, CycleType::f, CycleType::k}) {
    for (const Sweeps sweeps : {Sweeps{1, 1}, Sweeps{2, 1}, Sweeps{0, 2}, Sweeps{1, 0}}) {
      SCOPED_TRACE(testing::Message() << "cycle " << static_cast<int>(cycle) << ", " << sweeps.before << " + "
                                      << sweeps.after);
      AmgOptions options;
      options.cycle = cycle;
      options.smoother.pre_sweeps = sweeps.before;
      options.smoother.post_sweeps = sweeps.after;
      options.coarse_size = 50;
      options.direct_solve_limit = 50;
      options.replicate_below = 8000;
      options.set_up_whole_below = sweeps.before == 1 ? 0 : 1'000'000'000;
      const SolverOptions by{.method = Method::fcg, .max_iterations = 6};
      ranks::expect_bits_of_one_rank<T, S>(A, random_rhs(A), options, by);
    }
  }
}

TYPED_TEST(SharedSetup, SolvesByEveryMethod) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  GeneratedProblem problem = poisson({21, 23, 9}, Discretization::fd);
  for (const bool is_symmetric : {true, false}) {
    if (!is_symmetric) {
      problem.pde = Pde::convection_diffusion;
      problem.velocity = Velocity::recirculating;
      problem.peclet = 100.0;
    }
    const CsrMatrix<T, Host> A = as<T>(host, generate_matrix<double>(host, problem));
    for (const SmootherType smoother :
         {SmootherType::automatic, SmootherType::gmres_polynomial, SmootherType::jacobi}) {
      for (const Method method :
           {Method::automatic, Method::fcg, Method::gmres, Method::fgmres, Method::bicgstab, Method::amg}) {
        if (!is_symmetric && needs_symmetry(method)) {
          continue;
        }
        SCOPED_TRACE(testing::Message() << (is_symmetric ? "symmetric, " : "not symmetric, ") << name(method)
                                        << ", smoother " << static_cast<int>(smoother));
        AmgOptions options;
        options.smoother.type = smoother;
        options.coarse_size = 50;
        options.direct_solve_limit = 50;
        options.replicate_below = 4000;
        options.set_up_whole_below = 0;
        const SolverOptions by{.method = method, .max_iterations = 8, .restart = 5};
        ranks::expect_bits_of_one_rank<T, S>(A, random_rhs(A), options, by);
      }
    }
  }
}

// Beside a regular block, so that the rest is shared, too: what they leave on levels that are shared and on those that
// are not is rounding errors of either sign.
TYPED_TEST(SharedSetup, SolvesWhereComponentsComeDownToANode) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  std::vector<CsrMatrix<double, Host>> blocks;
  blocks.push_back(generate_matrix<double>(host, poisson({70, 60}, Discretization::fd)));
  for (int i = 0; i < 120; ++i) {
    const std::int64_t n = std::array{3, 5, 8, 12, 20}[static_cast<std::size_t>(i % 5)];
    GeneratedProblem floating = poisson({n, n + i % 3}, Discretization::fd);
    floating.boundary = Boundary::neumann;
    blocks.push_back(generate_matrix<double>(host, floating));
  }
  const CsrMatrix<T, Host> A = as<T>(host, ranks::block_diagonal(host, blocks));
  std::vector<T> b(static_cast<std::size_t>(A.rows));  // A times something
  const auto u = reference::random_values<T>(b.size(), 1);
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      b[i] += A.values[k] * u[static_cast<std::size_t>(A.col_indices[k])];
    }
  }
  AmgOptions options;
  options.coarse_size = 50;
  options.direct_solve_limit = 50;
  for (const Offset replicate_below : {0, 8000, 30'000}) {
    SCOPED_TRACE(replicate_below);
    options.set_up_whole_below = replicate_below < 8000 ? 0 : 1'000'000'000;
    options.replicate_below = replicate_below;
    Context<S> whole = ranks::own_context<S>();
    AmgSolver<T, S> solver(options, {});
    solver.setup(whole, upload(whole, A));
    MultiVector<T, S> all_x = reference::upload(whole, std::vector<T>(b.size()));
    const SolveResult expected = solver.solve(whole, reference::upload(whole, b), all_x);
    EXPECT_LE(expected.iterations, 40);
    for (const Cut cut : ranks::all_cuts()) {
      SCOPED_TRACE(to_string(cut));
      Context<S> ctx = ranks::shared_context<S>();
      ctx.set_records_work(true);
      const Partition partition(world(), ranks::own_rows(world(), cut, A.rows));
      const auto own_b = ranks::rows_of(b, partition, world().rank());
      MultiVector<T, S> own_x = reference::upload(ctx, std::vector<T>(own_b.size()));
      SharedSolver<T, S> shared(options, {});
      shared.setup(ctx, ranks::upload_rows(ctx, A, partition));
      const SolveResult result = shared.solve(ctx, reference::upload(ctx, own_b), own_x);
      EXPECT_EQ(result.reason, expected.reason) << describe(result.reason);
      EXPECT_NEAR(result.iterations, expected.iterations, 2);
    }
  }
}

/// What each rank gets whole has its own columns, also after levels were shared over windows that are wider than those
/// of its strips: of whole nodes, and of A + Aᵀ.
TEST(SharedSolver, SolvesAloneWhatTurnsOutToBeSingularInParts) {
  Context<Host> host(1);
  Context<Host> whole = ranks::own_context<Host>();
  std::vector<CsrMatrix<double, Host>> parts;
  parts.push_back(ranks::lines_of_three_unknowns(host, 8));
  for (int i = 0; i < 2; ++i) {
    const CsrMatrix<double, Host> lines = ranks::lines_of_three_unknowns(host, 6 + i);
    parts.push_back(reference::changed_entries<double>(host, lines, [&](Index row, Index column, double value) {
      const auto r = static_cast<std::size_t>(row);
      return row == column ? static_cast<double>(lines.row_offsets[r + 1] - lines.row_offsets[r] - 1) : value;
    }));
  }
  const CsrMatrix<double, Host> A = ranks::block_diagonal(host, parts);
  std::vector<double> b(static_cast<std::size_t>(A.rows), 0.0);
  std::fill_n(b.begin(), parts.front().rows, 1.0);
  AmgOptions options;
  options.replicate_below = 0;
  options.block_size = 3;
  options.coarse_size = 50;
  options.direct_solve_limit = 50;
  AmgSolver<double, Host> alone(options, {});
  alone.setup(whole, upload(whole, A));
  MultiVector<double, Host> all_x = reference::upload(whole, std::vector<double>(b.size()));
  const SolveResult expected = alone.solve(whole, reference::upload(whole, b), all_x);
  EXPECT_EQ(expected.reason, StopReason::converged) << describe(expected.reason);
  Context<Host> ctx = ranks::shared_context<Host>();
  const Partition partition(world(), ranks::own_rows(world(), Cut::even, A.rows / 3) * 3);
  const auto own_b = ranks::rows_of(b, partition, world().rank());
  MultiVector<double, Host> x = reference::upload(ctx, std::vector<double>(own_b.size()));
  SharedSolver<double, Host> solver(options, {});
  solver.setup(ctx, ranks::rows_of(ctx, A, partition));
  EXPECT_EQ(solver.shared_levels(), 0U);
  const SolveResult result = solver.solve(ctx, reference::upload(ctx, own_b), x);
  EXPECT_EQ(result.residual_history, expected.residual_history);
  EXPECT_TRUE(ranks::same_bits<double>(reference::download(ctx, x),
                                       ranks::rows_of(reference::download(whole, all_x), partition, world().rank())));
}

/// One unknown of a node on another rank than the others.
TEST(SharedSolver, SolvesWhereRanksHaveNoWholeNodes) {
  if (world().size() == 1) {
    GTEST_SKIP() << "one rank";
  }
  Context<Host> host(1);
  const Problem body = ranks::body(host, "body", poisson({8, 7, 9}, Discretization::q1));
  AmgOptions options;
  options.replicate_below = 0;
  options.block_size = 3;
  options.coarse_size = 50;
  options.direct_solve_limit = 50;
  const std::vector<double> b(static_cast<std::size_t>(body.A.rows), 1.0);
  std::vector<std::vector<double>> solutions;
  for (const std::int64_t moved : {0, 1}) {
    Context<Host> ctx = ranks::shared_context<Host>();
    const std::int64_t whole_nodes = ranks::own_rows(world(), Cut::even, body.A.rows / 3) * 3;
    const std::int64_t change = world().rank() == 0 ? -moved : world().rank() == 1 ? moved : 0;
    const Partition partition(world(), whole_nodes + change);
    const auto own_b = ranks::rows_of(b, partition, world().rank());
    MultiVector<double, Host> x = reference::upload(ctx, std::vector<double>(own_b.size()));
    SharedSolver<double, Host> solver(options, {});
    solver.setup(ctx, ranks::rows_of(ctx, body.A, partition),
                 reference::upload(ctx, ranks::rows_of(body.near_nullspace, partition, world().rank(), 6), 6).view());
    EXPECT_EQ(solver.shared_levels() > 0, moved == 0);
    EXPECT_EQ(solver.solve(ctx, reference::upload(ctx, own_b), x).reason, StopReason::converged);
    solutions.push_back(world().all_gather_list<double>(reference::download(ctx, x)));
  }
  EXPECT_EQ(solutions.front(), solutions.back());
}

/// Translations that a near-nullspace lacks are found with the whole matrix, and coordinates tell the modes.
TEST(SharedSolver, SharesABodyByItsModesOrItsCoordinates) {
  Context<Host> host(1);
  GeneratedProblem problem = poisson({8, 7, 9}, Discretization::q1);
  problem.boundary = Boundary::clamped_face;
  const Problem body = ranks::body(host, "body", problem);
  MultiVector<double, Host> coordinates(host, body.A.rows / 3, 3);
  problem.pde = Pde::elasticity;
  grid_coordinates<double, Host>(host, problem, coordinates);
  const Partition partition = body.partition(Cut::uneven);
  const std::vector<double> own_modes = ranks::rows_of(body.near_nullspace, partition, world().rank(), 6);
  std::vector<double> own_rotations;
  for (std::size_t i = 0; i < own_modes.size(); ++i) {
    if (i % 6 >= 3) {
      own_rotations.push_back(own_modes[i]);
    }
  }
  AmgOptions options;
  options.replicate_below = 0;
  options.coarse_size = 50;
  options.direct_solve_limit = 50;
  Context<Host> ctx = ranks::shared_context<Host>();
  const auto expect = [&](const char* given, bool is_shared, MultiVectorView<const double, Host> near_nullspace,
                          MultiVectorView<const double, Host> nodes) {
    SCOPED_TRACE(given);
    options.block_size = nodes.rows > 0 ? std::nullopt : std::optional<Index>(3);
    const auto own_rows = static_cast<std::size_t>(partition.rows(world().rank()));
    MultiVector<double, Host> x = reference::upload(ctx, std::vector<double>(own_rows));
    SharedSolver<double, Host> solver(options, {});
    solver.setup(ctx, ranks::rows_of(ctx, body.A, partition), near_nullspace, nodes);
    EXPECT_EQ(solver.shared_levels() > 0, is_shared);
    const SolveResult result = solver.solve(ctx, reference::upload(ctx, std::vector<double>(own_rows, 1.0)), x);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_THROW(solver.update_values(ctx, ranks::rows_of(ctx, body.A, partition)), std::invalid_argument);
    return result.residual_history;
  };
  const auto by_modes = expect("modes", true, reference::upload(ctx, own_modes, 6).view(), {});
  const auto by_coordinates = expect("coordinates", true, {}, std::as_const(coordinates).view());
  const auto by_rotations = expect("rotations", false, reference::upload(ctx, own_rotations, 3).view(), {});
  EXPECT_EQ(by_modes, by_coordinates);
  EXPECT_NEAR(static_cast<double>(by_rotations.size()), static_cast<double>(by_modes.size()), 1.0);
}

/// Rigid-body modes are scaled and relaxed where unknowns are in units of their own, as on one rank.
TEST(SharedSolver, FitsTheModesOfABodyInUnits) {
  Context<Host> host(1);
  GeneratedProblem problem = poisson({12, 11, 10}, Discretization::q1);
  problem.boundary = Boundary::clamped_face;
  problem.pde = Pde::elasticity;
  const CsrMatrix<double, Host> body = generate_matrix<double>(host, problem);
  MultiVector<double, Host> coordinates(host, body.rows / 3, 3);
  grid_coordinates<double, Host>(host, problem, coordinates);
  const std::vector<double> exponents = reference::random_values<double>(static_cast<std::size_t>(body.rows), 5);
  const CsrMatrix<double, Host> A = reference::in_units(
      convert_values<double>(host, body), [&](Index i) { return std::exp(exponents[static_cast<std::size_t>(i)]); });
  AmgOptions options;
  options.replicate_below = 0;
  options.coarse_size = 50;
  options.direct_solve_limit = 50;
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  AmgSolver<double, Host> alone(options, {});
  alone.setup(host, borrow(A), {}, std::as_const(coordinates).view());
  MultiVector<double, Host> x = reference::upload(host, std::vector<double>(b.size()));
  const SolveResult expected = alone.solve(host, reference::upload(host, b), x);
  EXPECT_LE(expected.iterations, 25);
  Context<Host> ctx = ranks::shared_context<Host>();
  const Partition partition(world(), ranks::own_rows(world(), Cut::uneven, A.rows / 3) * 3);
  const std::vector<double> own_b = ranks::rows_of(b, partition, world().rank());
  MultiVector<double, Host> own_x = reference::upload(ctx, std::vector<double>(own_b.size()));
  SharedSolver<double, Host> solver(options, {});
  solver.setup(ctx, ranks::rows_of(ctx, A, partition), {}, std::as_const(coordinates).view());
  EXPECT_GT(solver.shared_levels(), 0);
  EXPECT_TRUE(reference::has_note(ctx.profile(), "A takes rigid-body modes far from zero"));
  const SolveResult result = solver.solve(ctx, reference::upload(ctx, own_b), own_x);
  EXPECT_EQ(result.residual_history, expected.residual_history);
  EXPECT_EQ(reference::download(ctx, own_x), ranks::rows_of(reference::download(host, x), partition, world().rank()));
}

}  // namespace
}  // namespace amgsolve
