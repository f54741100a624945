#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "amg/coarsening_choices.hpp"
#include "amg/memory_forecast.hpp"
#include "amg/shared_solver.hpp"
#include "problems/amg_file.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_formats.hpp"
#include "problems/matrix_market.hpp"
#include "spmv/blas1.hpp"
#include "spmv/row_patterns.hpp"
#include "src/application/shared_matrix.hpp"
#include "src/application/small_copies.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_files.hpp"
#include "tests/reference/model_problems.hpp"

namespace amgsolve {
namespace {

using ranks::world;
using reference::grid;
using reference::poisson;

struct Case {
  const char* name;
  GeneratedProblem problem;
  Connectivity connectivity;
  AmgOptions amg{};
  double tolerance = 0.15;
};

// Of 10 MB and more for one of four ranks, of which the chunks that products happen to take are a small part.
std::vector<Case> cases() {
  GeneratedProblem convection = poisson(grid({56, 56, 56}), Discretization::fd);
  convection.pde = Pde::convection_diffusion;
  convection.peclet = 100.0;
  GeneratedProblem rotated = poisson(grid({400, 400}), Discretization::q1);
  rotated.pde = Pde::diffusion;
  rotated.anisotropy = {1e-3, 30.0};
  GeneratedProblem body = poisson(grid({36, 36, 36}), Discretization::q1);
  body.pde = Pde::elasticity;
  AmgOptions two_steps;
  two_steps.prolongator_steps = 2;
  AmgOptions by_colours;
  by_colours.smoother.type = SmootherType::gauss_seidel;
  return {{"P1", poisson(grid({500, 500}), Discretization::fd), Connectivity::plane},
          {"P2", poisson(grid({450, 450}), Discretization::q1), Connectivity::plane},
          {"P3", poisson(grid({64, 64, 64}), Discretization::fd), Connectivity::space},
          {"P4", poisson(grid({48, 48, 48}), Discretization::q1), Connectivity::space},
          {"P6", rotated, Connectivity::directed},
          {"body", body, Connectivity::space, {}, 0.2},
          {"two steps", poisson(grid({450, 450}), Discretization::fd), Connectivity::plane, two_steps},
          {"not symmetric", convection, Connectivity::space, {}, 0.2},
          {"gathered", poisson(grid({40, 40, 40}), Discretization::fd), Connectivity::space, by_colours, 0.2}};
}

/// The peak of the rank that takes most, in a solve that does not converge.
double measure(const Case& c, const AmgOptions& amg, SolverOptions solver) {
  Context<Host> ctx = ranks::shared_context<Host>();
  RankRows<double, Host> A = generate_strip<double>(ctx, c.problem, shared_rows(world(), c.problem.unknowns()));
  MultiVector<double, Host> b(ctx, A.rows(), 1);
  MultiVector<double, Host> x(ctx, A.rows(), 1);
  MultiVector<double, Host> coordinates;
  if (c.problem.pde == Pde::elasticity) {
    coordinates = MultiVector<double, Host>(ctx, static_cast<Index>(c.problem.grid.unknowns()), 3);
    grid_coordinates<double, Host>(ctx, c.problem, coordinates);
  }
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  solver.max_iterations = solver.restart;
  solver.tolerance = 1e-300;
  solver.stopping = Stopping::strict;
  SharedSolver<double, Host> shared(amg, solver);
  shared.setup(ctx, std::move(A), {}, std::as_const(coordinates).view());
  shared.solve(ctx, std::as_const(b).view(), x.view());
  return static_cast<double>(world().max(static_cast<std::int64_t>(ctx.memory().peak_bytes())));
}

TEST(ForecastOnRanks, IsNearThePeakOfARank) {
  if (world().size() == 1) {
    GTEST_SKIP() << "one rank";
  }
  SolverOptions solver;
  solver.restart = 5;
  for (const Case& c : cases()) {
    const Context<Host> ctx = ranks::shared_context<Host>();
    SystemSize size{.rows = static_cast<double>(c.problem.unknowns()),
                    .nnz = c.problem.nonzeros(),
                    .block_size = static_cast<Index>(c.problem.components()),
                    .candidates = c.problem.pde == Pde::elasticity ? 6 : 0,
                    .connectivity = c.connectivity,
                    .is_symmetric = c.problem.is_symmetric(),
                    .is_grid = expects_alike_rows(static_cast<double>(c.problem.grid.size[0])),
                    .different_slices = c.problem.repeats_rows() ? repeated_slices : 1.0,
                    .ranks = world().size(),
                    .replicated = static_cast<double>(replicated_entries(ctx, c.amg))};
    const double peak = measure(c, c.amg, solver);
    const auto expect_near_peak = [&](const char* how) {
      const MemoryForecast forecast = forecast_memory(size, c.amg, solver, 1);
      EXPECT_NEAR(forecast.peak() / peak, 1.0, c.tolerance)
          << c.name << ", " << how << ": " << peak << ", setup " << forecast.setup << ", solve " << forecast.solve;
      EXPECT_EQ(forecast.shared_levels > 0, c.amg.smoother.type == SmootherType::automatic) << c.name;
    };
    if (!c.amg.prolongator_steps) {
      expect_near_peak("by tables");
    }
    JobConfiguration configuration;
    configuration.problem.generate = c.problem;
    configuration.amg = c.amg;
    configuration.solver = solver;
    measure_on_copies(configuration, Context<Host>(1), size);
    expect_near_peak("by copies");
  }
}

/// Bytes that reading a file takes.
struct Reading {
  double peak = 0.0;      ///< of the rank that takes most
  double expected = 0.0;  ///< by a run
  double forecast = 0.0;  ///< by a dry run, on one rank
};

class ForecastOfReading : public ranks::SharedFiles {
 protected:
  static Reading read(const std::filesystem::path& path, int threads = 1) {
    Reading result;
    std::vector<std::string> warnings;
    Context<Host> ctx(threads, world());
    read_shared_matrix(ctx, path, warnings, result.expected);
    result.peak = static_cast<double>(world().max(static_cast<std::int64_t>(ctx.memory().peak_bytes())));
    Context<Host> alone(threads);
    const MatrixFile file(alone, path);
    const double bytes = file.bytes_to_read(alone);
    const CsrMatrix<double, Host> A = file.parse(alone, warnings);
    result.forecast = bytes_to_read_shared(alone, path, bytes, A.rows, static_cast<double>(A.nnz()), world().size());
    world().max(0);  // until all have read the file
    return result;
  }

  /// Makes a file on the first rank.
  template <class Make>
  std::filesystem::path make(const std::string& name, const Make& make) {
    if (world().rank() == 0) {
      make(path_ / name);
    }
    world().max(0);
    return path_ / name;
  }

  /// The lower triangle of A, as a symmetric file has it; or all of it.
  static std::string text_of(const CsrMatrix<double, Host>& A, bool is_symmetric) {
    std::string lines;
    std::int64_t entries = 0;
    for (Index i = 0; i < A.rows; ++i) {
      for (Offset k = A.row_offsets.data()[i]; k < A.row_offsets.data()[i + 1]; ++k) {
        const Index j = A.col_indices.data()[k];
        if (j <= i || !is_symmetric) {
          lines += std::to_string(i + 1) + " " + std::to_string(j + 1) + " " +
                   std::to_string(A.values.data()[k] / 7.0) + "\n";
          ++entries;
        }
      }
    }
    const std::string n = std::to_string(A.rows) + " ";
    return std::string("%%MatrixMarket matrix coordinate real ") + (is_symmetric ? "symmetric\n" : "general\n") + n +
           n + std::to_string(entries) + "\n" + lines;
  }
};

TEST_F(ForecastOfReading, IsNearThePeakOfARank) {
  if (world().size() == 1) {
    GTEST_SKIP() << "one rank";
  }
  // Of 3 MB and more for one of four ranks, of which the first block of scratch, a megabyte, is a part.
  Context<Host> ctx(1);
  for (const GeneratedProblem& problem :
       {poisson(grid({400, 400}), Discretization::fd), poisson(grid({32, 32, 32}), Discretization::q1)}) {
    const CsrMatrix<double, Host> A = generate_matrix<double>(ctx, problem);
    const auto expect_near_peak = [&](const std::filesystem::path& path, double tolerance, int threads = 1) {
      const Reading reading = read(path, threads);
      EXPECT_EQ(reading.forecast, reading.expected) << path;
      EXPECT_NEAR(reading.expected / reading.peak, 1.0, tolerance) << path << ": " << reading.peak;
    };
    const std::filesystem::path symmetric = write("symmetric.mtx", text_of(A, true));
    expect_near_peak(symmetric, 0.05);
    expect_near_peak(symmetric, 0.05, 3);
    expect_near_peak(write("general.mtx", text_of(A, false)), 0.05);
    // Every rank has the whole matrix, and to decompress it 2 MB that nobody counts.
    expect_near_peak(make("symmetric.mtx.gz",
                          [&](const std::filesystem::path& path) {
                            EXPECT_EQ(std::system(("gzip -kf '" + symmetric.string() + "'").c_str()), 0) << path;
                          }),
                     0.07);
    // "At most": with an array as the file has it, which is mapped here.
    const Reading rows =
        read(make("rows.amg", [&](const std::filesystem::path& path) { write_amg_file<double>(ctx, path, A); }));
    EXPECT_EQ(rows.forecast, rows.expected);
    EXPECT_GE(rows.expected, rows.peak);
    EXPECT_LE(rows.expected, 1.6 * rows.peak);
  }
}

}  // namespace
}  // namespace amgsolve
