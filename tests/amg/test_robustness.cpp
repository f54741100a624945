#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "bench/robustness_table.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

/// A problem of the table that the default options must solve, for b = 1 to 1e-8, in at most that many iterations and
/// at no more operator complexity: a few iterations and some per cent above what was seen when the bound was set.
struct Bound {
  std::string family;
  std::string name;
  Index size;
  int iterations;
  double complexity;
};

std::vector<Bound> bounds() {
  std::vector<Bound> all = {
      {"model", "P1", 256, 13, 1.42},
      {"model", "P2", 256, 12, 1.15},
      {"model", "P3", 40, 11, 1.52},
      {"model", "P4", 36, 9, 1.06},
      {"model", "P6", 128, 19, 1.6},
      {"model", "P6", 256, 21, 1.6},
      {"model", "P7", 32, 12, 1.8},
      {"model", "P7", 64, 12, 1.7},
      {"rotated", "1e-1 at 30", 128, 14, 1.4},
      {"rotated", "1e-2 at 17", 128, 19, 1.75},
      {"rotated", "1e-4 at 0", 256, 25, 1.75},
      {"five_points", "one weak 1e-1", 128, 13, 1.75},
      {"five_points", "one weak 1e-2", 128, 15, 1.75},
      {"five_points", "one weak 1e-3", 128, 16, 1.75},
      {"five_points", "one weak 1e-4", 128, 17, 1.75},
      {"seven_points", "one weak 1e-1", 32, 11, 1.8},
      {"seven_points", "one weak 1e-3", 32, 12, 1.8},
      {"seven_points", "two weak 1e-1", 32, 12, 1.8},
      {"seven_points", "two weak 1e-1", 48, 13, 1.8},
      {"seven_points", "two weak 1e-3", 32, 13, 1.8},
      {"seven_points", "two weak 1e-4", 32, 14, 1.8},
      {"trilinear", "one weak 1e-3", 24, 13, 1.4},
      {"trilinear", "two weak 1e-3", 24, 21, 1.8},
      {"field", "circular", 128, 42, 1.75},
      {"field", "stretched 2D", 128, 17, 1.9},
      {"field", "stretched 3D", 32, 12, 1.9},
      {"field", "log-normal 2D", 128, 21, 1.7},
      {"field", "log-normal 3D", 32, 18, 1.8},
      {"field", "log-normal 3D", 48, 20, 1.85},
      {"jumps", "checkerboard 2D block 4 by 1e2", 128, 13, 1.6},
      {"jumps", "checkerboard 2D block 8 by 1e2", 256, 14, 1.6},
      {"jumps", "checkerboard 2D block 4 by 1e4", 128, 13, 1.75},
      {"jumps", "checkerboard 2D block 1 by 1e4", 128, 13, 1.6},
      {"jumps", "checkerboard 2D block 16 by 1e4", 128, 13, 1.6},
      {"jumps", "checkerboard 3D block 2 by 1e2", 32, 11, 1.9},
      {"jumps", "checkerboard 3D block 2 by 1e4", 32, 11, 1.95},
      {"jumps", "checkerboard 3D block 8 by 1e2", 32, 12, 1.8},
      {"jumps", "checkerboard 3D block 8 by 1e6", 32, 13, 1.8},
      {"jumps", "random 2D block 1 by 1e2", 128, 19, 1.5},
      {"jumps", "random 2D block 1 by 1e4", 128, 25, 1.8},
      {"jumps", "random 2D block 1 by 1e8", 128, 37, 1.85},
      {"jumps", "random 2D block 1 by 1e8", 256, 40, 1.85},
      {"jumps", "inclusions 2D block 4 by 1e2", 128, 17, 1.75},
      {"jumps", "inclusions 2D block 4 by 1e4", 128, 15, 1.75},
      {"networks", "one unknown", 24, 11, 2.4},
      {"networks", "three phases", 16, 13, 1.9},
      {"networks", "springs, 3 unknowns", 16, 22, 1.85},
      {"networks", "springs, 6 unknowns", 16, 19, 1.85},
      {"files", "cmm2d", 0, 12, 1.4},
      {"files", "cmm2d, 1e-3 at 30", 0, 38, 1.75},
      {"files", "G2_circuit", 0, 17, 1.8},
      {"files", "dc_case_ACTIVSg10k", 0, 22, 1.8},
      {"files", "1138_bus", 0, 15, 1.55},
      {"files", "jnlbrng1", 0, 9, 1.7},
      {"files", "Poisson4k", 0, 12, 1.4},
      {"files", "usroads, grounded", 0, 20, 1.8},
      {"files", "delaunay_n16, grounded", 0, 13, 1.3},
  };
  for (int degrees = 0; degrees <= 90; degrees += 3) {
    all.push_back({"rotated", "1e-3 at " + std::to_string(degrees), 96, 25, 1.75});
  }
  return all;
}

class Robustness : public ::testing::TestWithParam<Bound> {};

TEST_P(Robustness, DefaultOptionsSolveIt) {
  const Bound& bound = GetParam();
  const std::vector<bench::RobustnessProblem> all = bench::robustness_problems(AMGSOLVE_DATA_DIR);
  const auto problem = std::ranges::find_if(
      all, [&](const auto& candidate) { return candidate.family == bound.family && candidate.name == bound.name; });
  ASSERT_NE(problem, all.end());
  if (problem->lacks_file()) {
    GTEST_SKIP() << problem->file << " is absent; set AMGSOLVE_DATA_DIR to the folder of the real matrices";
  }
  Context<Host> ctx;
  SolverOptions options;
  options.max_iterations = bound.iterations;
  AmgSolver<double, Host> solver({}, options);
  CsrMatrix<double, Host> A = problem->make(ctx, bound.size);
  const Index n = A.rows;
  solver.setup(ctx, std::move(A));
  MultiVector<double, Host> b(ctx, n);
  MultiVector<double, Host> x(ctx, n);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  const SolveResult result = solver.solve(ctx, std::as_const(b), x);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LE(solver.summary().operator_complexity, bound.complexity);
}

/// Family, name and size in words and digits.
std::string test_name(const Bound& bound) {
  std::string name = bound.family + "_" + bound.name + "_of_" + std::to_string(bound.size);
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Robustness, ::testing::ValuesIn(bounds()),
                         [](const auto& instance) { return test_name(instance.param); });

}  // namespace
}  // namespace amgsolve
