#include "amg/memory_forecast.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "amg/connectivity.hpp"
#include "amg/measured_step.hpp"
#include "amg/solver.hpp"
#include "core/errors.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/coo_matrix.hpp"
#include "spmv/row_patterns.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"

namespace amgsolve {
namespace {

using reference::grid;
using reference::poisson;

constexpr int threads = 2;

struct Case {
  std::string name;
  GeneratedProblem problem;
  Connectivity connectivity;
};

// Of 80 to 120 MB, of which the chunks that threads of a product happen to take are a small part.
std::vector<Case> cases() {
  GeneratedProblem rotated = poisson(grid({400, 400}), Discretization::q1);
  rotated.pde = Pde::diffusion;
  rotated.anisotropy = {1e-3, 30.0};
  GeneratedProblem checkerboard = poisson(grid({60, 60, 60}), Discretization::fd);
  checkerboard.pde = Pde::diffusion;
  checkerboard.coefficient.type = CoefficientType::checkerboard;
  return {{"P1", poisson(grid({550, 550}), Discretization::fd), Connectivity::plane},
          {"P2", poisson(grid({450, 450}), Discretization::q1), Connectivity::plane},
          {"P3", poisson(grid({60, 60, 60}), Discretization::fd), Connectivity::space},
          {"P4", poisson(grid({45, 45, 45}), Discretization::q1), Connectivity::space},
          {"P6", rotated, Connectivity::directed},
          {"P7", checkerboard, Connectivity::space}};
}

struct Measured {
  double peak = 0.0;
  HierarchySummary summary;
};

Measured measure_solve(const GeneratedProblem& problem, const AmgOptions& amg, const SolverOptions& solver,
                       Index columns, int on_threads) {
  Context<Host> ctx(on_threads);
  CsrMatrix<double, Host> A = generate_matrix<double>(ctx, problem);
  MultiVector<double, Host> b(ctx, A.rows, columns);
  MultiVector<double, Host> x(ctx, A.rows, columns);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  AmgSolver<double, Host> amg_solver(amg, solver);
  amg_solver.setup(ctx, std::move(A));
  amg_solver.solve(ctx, std::as_const(b), x);
  return {static_cast<double>(ctx.memory().peak_bytes()), amg_solver.summary()};
}

/// @param iterations  of the solve, which does not converge before
Measured measure(const GeneratedProblem& problem, const AmgOptions& amg, SolverOptions solver, Index columns,
                 int iterations = 1, int on_threads = threads) {
  solver.max_iterations = iterations;
  solver.tolerance = 1e-300;
  solver.stopping = Stopping::strict;
  return measure_solve(problem, amg, solver, columns, on_threads);
}

SystemSize size_of(const Case& c, Index columns = 1) {
  return {.rows = static_cast<double>(c.problem.grid.unknowns()),
          .nnz = c.problem.nonzeros(),
          .columns = columns,
          .connectivity = c.connectivity,
          .is_grid = expects_alike_rows(static_cast<double>(c.problem.grid.size[0])),
          .different_slices = c.problem.repeats_rows() ? repeated_slices : 1.0};
}

TEST(MemoryForecast, IsWithin15PercentOfThePeak) {
  for (const Case& c : cases()) {
    const MemoryForecast forecast = forecast_memory(size_of(c), {}, {}, threads);
    const Measured measured = measure(c.problem, {}, {}, 1);
    EXPECT_NEAR(forecast.peak() / measured.peak, 1.0, 0.15) << c.name << ": " << measured.peak;
    const auto& levels = measured.summary.levels;
    ASSERT_GE(forecast.levels.size() + 1, levels.size()) << c.name;
    EXPECT_LE(forecast.levels.size(), levels.size() + 1) << c.name;
    EXPECT_NEAR(forecast.levels[0].bytes / static_cast<double>(levels[0].bytes), 1.0, 0.15) << c.name;
    EXPECT_NEAR(forecast.levels[1].rows / static_cast<double>(levels[1].rows), 1.0, 0.25) << c.name;
    EXPECT_NEAR(forecast.levels[1].bytes / static_cast<double>(levels[1].bytes), 1.0, 0.3) << c.name;
  }
}

/// Which is there when the setup ends.
TEST(MemoryForecast, CountsTheDenseFactorDuringTheSetup) {
  const Case c{"dense", poisson(grid({56, 56}), Discretization::fd), Connectivity::plane};
  AmgOptions amg;
  amg.coarse_size = 4000;
  Context<Host> ctx(threads);
  AmgSolver<double, Host> solver(amg, {});
  solver.setup(ctx, generate_matrix<double>(ctx, c.problem));
  const auto peak = static_cast<double>(ctx.memory().peak_bytes());
  EXPECT_GT(peak, 8.0 * 3136 * 3136);
  EXPECT_NEAR(forecast_memory(size_of(c), amg, {}, threads).setup / peak, 1.0, 0.03) << peak;
}

/// Of 90 MB and 150 MB. Products by nodes have little scratch.
TEST(MemoryForecast, IsWithin15PercentOfThePeakOfElasticBodies) {
  for (const StructuredGrid& box : {grid({120, 121}), grid({24, 25, 25})}) {
    const int dimensions = box.dimensions;
    GeneratedProblem body = poisson(box, Discretization::q1);
    body.pde = Pde::elasticity;
    body.boundary = Boundary::clamped_face;
    const MemoryForecast forecast =
        forecast_memory({.rows = static_cast<double>(body.unknowns()),
                         .nnz = body.nonzeros(),
                         .block_size = dimensions,
                         .candidates = dimensions == 2 ? 3 : 6,
                         .connectivity = dimensions == 2 ? Connectivity::plane : Connectivity::space},
                        {}, {}, threads);
    Context<Host> ctx(threads);
    const auto n = static_cast<Index>(body.unknowns());
    MultiVector<double, Host> positions(ctx, n / dimensions, dimensions);
    MultiVector<double, Host> b(ctx, n);
    MultiVector<double, Host> x(ctx, n);
    grid_coordinates(ctx, body, positions.view());
    fill<double>(ctx, 1.0, b);
    fill<double>(ctx, 0.0, x);
    SolverOptions solver;
    solver.max_iterations = 1;
    AmgSolver<double, Host> amg_solver({}, solver);
    amg_solver.setup(ctx, generate_matrix<double>(ctx, body), {}, std::as_const(positions));
    amg_solver.solve(ctx, std::as_const(b), x);
    const auto peak = static_cast<double>(ctx.memory().peak_bytes());
    EXPECT_NEAR(forecast.peak() / peak, 1.0, 0.15) << peak << " in " << dimensions << " dimensions";
  }
}

TEST(MemoryForecast, FollowsTheOptions) {
  const Case plane = cases()[0];
  const Case space = cases()[2];
  AmgOptions in_double;
  in_double.precision = Precision::same;
  SolverOptions keeping;
  keeping.reuse = Reuse::pattern;
  SolverOptions with_two_matrices;
  with_two_matrices.method = Method::minres;
  for (const Case& c : {plane, space}) {
    const auto expect_near = [&](const AmgOptions& amg, const SolverOptions& solver, Index columns) {
      const double forecast = forecast_memory(size_of(c, columns), amg, solver, threads).peak();
      EXPECT_NEAR(forecast / measure(c.problem, amg, solver, columns).peak, 1.0, 0.15) << c.name << ' ' << columns;
    };
    expect_near(in_double, {}, 1);
    expect_near({}, keeping, 1);
    expect_near({}, with_two_matrices, 1);
    expect_near({}, {}, 8);
  }
}

TEST(MemoryForecast, KnowsTheSymmetricPartAndWhatItsMethodsKeep) {
  const auto convection = [](StructuredGrid box) {
    GeneratedProblem problem = poisson(box, Discretization::fd);
    problem.pde = Pde::convection_diffusion;
    problem.peclet = 100.0;
    return problem;
  };
  // Of 50 MB; on one thread, whose chunks of products do not depend on another's.
  const Case plane{"plane", convection(grid({350, 350})), Connectivity::plane};
  const Case space{"space", convection(grid({50, 50, 50})), Connectivity::space};
  for (const Case& c : {plane, space}) {
    for (const Method method : {Method::automatic, Method::gmres, Method::bicgstab}) {
      SolverOptions solver;
      solver.method = method;
      solver.restart = 10;
      SystemSize size = size_of(c);
      size.is_symmetric = false;
      const MemoryForecast forecast = forecast_memory(size, {}, solver, 1);
      const Measured measured = measure(c.problem, {}, solver, 1, solver.restart, 1);
      EXPECT_NEAR(forecast.peak() / measured.peak, 1.0, 0.15)
          << c.name << ", " << name(method) << ": " << measured.peak << ", setup " << forecast.setup << ", solve "
          << forecast.solve;
    }
    // Of a basis that restarts would let grow, only what is usual until it has converged is counted.
    for (const Method method : {Method::gmres, Method::fgmres}) {
      SolverOptions solver;
      solver.method = method;
      SystemSize size = size_of(c);
      size.is_symmetric = false;
      const double forecast = forecast_memory(size, {}, solver, 1).peak();
      const double peak = measure_solve(c.problem, {}, solver, 1, 1).peak;
      EXPECT_NEAR(forecast / peak, 1.0, 0.15) << c.name << ", " << name(method);
    }
  }
}

TEST(MemoryForecast, KnowsTheWholeBasisThatASlowSolveTakes) {
  GeneratedProblem problem = poisson(grid({250, 250}), Discretization::fd);
  problem.pde = Pde::convection_diffusion;
  problem.velocity = Velocity::recirculating;
  problem.peclet = 1e6;
  SystemSize size = size_of({"slow", problem, Connectivity::plane});
  size.is_symmetric = false;
  for (const int restart : {5, 12, 30}) {
    SolverOptions solver;
    solver.restart = restart;
    const MemoryForecast forecast = forecast_memory(size, {}, solver, 1);
    const double most = std::max(forecast.setup, forecast.slow_solve);
    EXPECT_NEAR(most / measure_solve(problem, {}, solver, 1, 1).peak, 1.0, 0.15) << restart;
    EXPECT_EQ(forecast.slow_solve > forecast.solve, restart > 12) << "those of 12 iterations are expected";
  }
}

/// The Laplacian of a graph of edges of the weights −value, made definite.
CsrMatrix<double, Host> laplacian(Context<Host>& ctx, Index nodes, const std::vector<reference::Entry>& edges) {
  std::vector<reference::Entry> entries;
  std::vector<double> diagonal(static_cast<std::size_t>(nodes), 1e-3);
  for (const auto& [i, j, value] : edges) {
    entries.push_back({i, j, value});
    entries.push_back({j, i, value});
    diagonal[static_cast<std::size_t>(i)] -= value;
    diagonal[static_cast<std::size_t>(j)] -= value;
  }
  for (Index i = 0; i < nodes; ++i) {
    entries.push_back({i, i, diagonal[static_cast<std::size_t>(i)]});
  }
  return reference::matrix_from_entries<double>(ctx, nodes, nodes, std::move(entries));
}

/// Node i is joined to those before it at each of the distances.
CsrMatrix<double, Host> band(Context<Host>& ctx, Index nodes, Index width) {
  std::vector<reference::Entry> edges;
  for (Index i = 0; i < nodes; ++i) {
    for (Index d = 1; d <= std::min(width, i); ++d) {
      edges.push_back({i, i - d, -1.0 / d});
    }
  }
  return laplacian(ctx, nodes, edges);
}

/// Each node hangs on one of the 2000 before it.
CsrMatrix<double, Host> tree(Context<Host>& ctx, Index nodes) {
  std::mt19937_64 random(1);
  std::vector<reference::Entry> edges;
  for (Index i = 1; i < nodes; ++i) {
    edges.push_back({i, i - 1 - static_cast<Index>(random() % static_cast<std::uint64_t>(std::min(i, 2000))), -1.0});
  }
  return laplacian(ctx, nodes, edges);
}

/// A grid in the plane whose cells have one or the other diagonal, with numbers in no order.
CsrMatrix<double, Host> triangles(Context<Host>& ctx, Index side) {
  std::mt19937_64 random(1);
  std::vector<Index> number(static_cast<std::size_t>(side * side));
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), random);
  std::vector<reference::Entry> edges;
  const auto node = [&](Index x, Index y) { return number[static_cast<std::size_t>(x * side + y)]; };
  const auto join = [&](Index x, Index y, Index other_x, Index other_y) {
    edges.push_back({node(x, y), node(other_x, other_y), -1.0});
  };
  for (Index x = 0; x < side; ++x) {
    for (Index y = 0; y < side; ++y) {
      if (x + 1 < side) {
        join(x, y, x + 1, y);
      }
      if (y + 1 < side) {
        join(x, y, x, y + 1);
      }
      if (x + 1 < side && y + 1 < side) {
        random() % 2 == 0 ? join(x, y, x + 1, y + 1) : join(x + 1, y, x, y + 1);
      }
    }
  }
  return laplacian(ctx, side * side, edges);
}

/// Of 50 to 110 MB: no grids, whose rows tell little of what they coarsen to. By one thread: how many chunks of scratch
/// several take depends on when.
TEST(MemoryForecast, OfASurveyedMatrixIsWithin15PercentOfThePeak) {
  const std::pair<const char*, std::function<CsrMatrix<double, Host>(Context<Host>&)>> matrices[] = {
      {"chain", [](Context<Host>& ctx) { return band(ctx, 400'000, 1); }},
      {"band", [](Context<Host>& ctx) { return band(ctx, 50'000, 20); }},
      {"tree", [](Context<Host>& ctx) { return tree(ctx, 250'000); }},
      {"triangles", [](Context<Host>& ctx) { return triangles(ctx, 400); }},
      {"bilaplacian", [](Context<Host>& ctx) {
         const auto A = generate_matrix<double>(ctx, poisson(grid({450, 450}), Discretization::fd));
         return multiply(ctx, A, A);
       }}};
  for (const auto& [name, make] : matrices) {
    Context<Host> other(1);
    Context<Host> ctx(1);
    const CsrMatrix<double, Host> made = make(other);
    CsrMatrix<double, Host> A = convert_values<double>(ctx, made);
    SystemSize size{.rows = static_cast<double>(A.rows), .nnz = static_cast<double>(A.nnz())};
    size.connectivity = connectivity_of(A);
    measure_patterns(other, A, size);
    SolverOptions options;
    options.max_iterations = 1;
    AmgSolver<double, Host> solver({}, options);
    {
      Context<Host> beside(1);
      solver.survey(beside, A, {}, {}, size);
      EXPECT_EQ(beside.memory().bytes_in_use(), 0U);
      const MemoryForecast forecast = forecast_memory(size, {}, {}, 1);
      EXPECT_LT(static_cast<double>(beside.memory().peak_bytes()), forecast.peak()) << name;
    }
    MultiVector<double, Host> b(ctx, A.rows);
    MultiVector<double, Host> x(ctx, A.rows);
    fill<double>(ctx, 1.0, b);
    fill<double>(ctx, 0.0, x);
    solver.setup(ctx, std::move(A));
    solver.solve(ctx, std::as_const(b), x);
    const MemoryForecast forecast = forecast_memory(size, {}, {}, 1);
    const auto peak = static_cast<double>(ctx.memory().peak_bytes());
    EXPECT_NEAR(forecast.peak() / peak, 1.0, 0.15) << name << ": " << peak << ", setup " << forecast.setup;
    const auto& levels = solver.summary().levels;
    EXPECT_EQ(forecast.levels[1].rows, static_cast<double>(levels[1].rows)) << name;
    EXPECT_NEAR(forecast.levels[1].nnz / static_cast<double>(levels[1].nnz), 1.0, 0.1) << name;
  }
}

TEST(MemoryForecast, KnowsTheCopiesOfASystemNumberedByField) {
  GeneratedProblem body = poisson(grid({120, 120}), Discretization::q1);
  body.pde = Pde::elasticity;
  constexpr Index columns = 8;
  Context<Host> ctx(1);
  CsrMatrix<double, Host> A;
  {
    Context<Host> other(1);
    const CsrMatrix<double, Host> made = reference::by_field(other, generate_matrix<double>(other, body), 2);
    A = convert_values<double>(ctx, made);
  }
  const double nnz = static_cast<double>(A.nnz());
  const Index rows = A.rows;
  MultiVector<double, Host> b(ctx, rows, columns);
  MultiVector<double, Host> x(ctx, rows, columns);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  AmgOptions amg;
  amg.unknowns = Numbering::by_field;
  amg.block_size = 2;
  SolverOptions solver;
  solver.max_iterations = 1;
  AmgSolver<double, Host> amg_solver(amg, solver);
  amg_solver.setup(ctx, std::move(A));
  amg_solver.solve(ctx, std::as_const(b), x);
  const MemoryForecast forecast = forecast_memory(
      {.rows = static_cast<double>(rows), .nnz = nnz, .columns = columns, .connectivity = Connectivity::plane}, amg,
      solver, 1);
  const auto peak = static_cast<double>(ctx.memory().peak_bytes());
  EXPECT_NEAR(forecast.peak() / peak, 1.0, 0.15)
      << peak << ", setup " << forecast.setup << ", solve " << forecast.solve;
}

TEST(MemoryForecast, TellsPlaneFromSpaceByTheGraph) {
  Context<Host> ctx(1);
  GeneratedProblem body = poisson(grid({12, 12, 12}), Discretization::q1);
  body.pde = Pde::elasticity;
  GeneratedProblem plate = poisson(grid({40, 40}), Discretization::q1);
  plate.pde = Pde::elasticity;
  EXPECT_EQ(connectivity_of(generate_matrix<double>(ctx, body)), Connectivity::space);
  EXPECT_EQ(connectivity_of(generate_matrix<double>(ctx, plate)), Connectivity::plane);
  for (const Discretization discretization : {Discretization::fd, Discretization::q1}) {
    for (const GeneratedProblem& problem :
         {poisson(grid({60, 60}), discretization), poisson(grid({300, 20}), discretization)}) {
      EXPECT_EQ(connectivity_of(generate_matrix<double>(ctx, problem)), Connectivity::plane);
    }
    for (const GeneratedProblem& problem :
         {poisson(grid({24, 24, 24}), discretization), poisson(grid({60, 30, 15}), discretization)}) {
      EXPECT_EQ(connectivity_of(generate_matrix<double>(ctx, problem)), Connectivity::space);
    }
  }
  EXPECT_EQ(connectivity_of(reference::matrix_from_entries<double>(ctx, 1000, 1000, {})), Connectivity::unknown);
  EXPECT_EQ(connectivity_of(CsrMatrix<double, Host>(ctx, 0, 0, 0)), Connectivity::unknown);
}

TEST(MemoryForecast, OfASmallSystemIsThatOfItsFactor) {
  const MemoryForecast forecast = forecast_memory({.rows = 100, .nnz = 460}, {}, {}, 1);
  ASSERT_EQ(forecast.levels.size(), 1U);
  EXPECT_GT(forecast.levels[0].bytes, 100 * 100 * 8);
  EXPECT_LT(forecast.peak(), 500e3);
}

TEST(MemoryForecast, CountsNoFactorWhereALevelIsTooLargeForOne) {
  AmgOptions amg;
  amg.max_levels = 1;
  const MemoryForecast forecast = forecast_memory({.rows = 1e6, .nnz = 5e6}, amg, {}, 1);
  ASSERT_EQ(forecast.levels.size(), 1U);
  EXPECT_LT(forecast.peak(), 1e9);
}

TEST(MemoryForecast, ExpectsNothingOfAnEmptyMatrixOrOfBlocksThatAreLarger) {
  EXPECT_LT(forecast_memory({}, {}, {}, 1).peak(), 1000.0);
  AmgOptions amg;
  amg.block_size = max_index;
  EXPECT_LT(forecast_memory({.rows = 5, .nnz = 13}, amg, {}, 1).peak(), 10'000.0);
}

TEST(MemoryForecast, OfRowsWithoutEntriesIsANumber) {
  AmgOptions amg;
  amg.coarse_size = 4;
  amg.direct_solve_limit = 4;
  const MemoryForecast forecast = forecast_memory({.rows = 1000.0}, amg, {}, 1);
  for (const double bytes : {forecast.system, forecast.setup, forecast.solve, forecast.levels.back().bytes}) {
    EXPECT_GT(bytes, 0.0);
    EXPECT_LT(bytes, 1e6);
  }
}

// By the number of aggregates, before P is formed.
TEST(MemoryForecast, LevelsThatDoNotFitAreRefusedBeforeTheyAreFormed) {
  Context<Host> ctx(threads);
  CsrMatrix<double, Host> A = generate_matrix<double>(ctx, poisson(grid({60, 60, 60}), Discretization::q1));
  AmgSolver<double, Host> solver({}, {});
  ctx.memory().set_limit(140'000'000);
  try {
    solver.setup(ctx, std::move(A));
    FAIL() << "set up in less than it takes";
  } catch (const OutOfMemoryError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("not enough memory in setup: to form level 1 of some"), std::string::npos) << message;
    EXPECT_NE(message.find("'solver.memory_limit'"), std::string::npos) << message;
    for (const Profile::Node& node : ctx.profile().nodes()) {
      EXPECT_NE(node.phase, "tentative");
    }
  }
}

}  // namespace
}  // namespace amgsolve
