#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"
#include "spmv/blas1.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/robustness_problems.hpp"

namespace amgsolve {
namespace {

using Matrix = CsrMatrix<double, Host>;

/// A problem that the default options must solve, for b = 1 to 1e-8, in at most that many iterations and at no more
/// operator complexity: a few iterations and some per cent above what was seen when the bound was set.
struct Problem {
  std::string name;
  std::function<Matrix(Context<Host>&)> make;
  int iterations;
  double complexity;
};

std::function<Matrix(Context<Host>&)> generated(std::initializer_list<std::int64_t> sizes,
                                                Discretization discretization, Anisotropy anisotropy = {}) {
  GeneratedProblem problem = reference::poisson(reference::grid(sizes), discretization);
  problem.pde = anisotropy.epsilon == 1.0 ? Pde::poisson : Pde::diffusion;
  problem.anisotropy = anisotropy;
  return [problem](Context<Host>& ctx) { return generate_matrix<double>(ctx, problem); };
}

std::function<Matrix(Context<Host>&)> with_coefficient(std::initializer_list<std::int64_t> sizes, CoefficientType type,
                                                       double high, std::int64_t block) {
  GeneratedProblem problem = reference::poisson(reference::grid(sizes), Discretization::fd);
  problem.pde = Pde::diffusion;
  problem.coefficient = {.type = type, .high = high, .block = block};
  return [problem](Context<Host>& ctx) { return generate_matrix<double>(ctx, problem); };
}

std::function<Matrix(Context<Host>&)> differences(std::array<Index, 3> cells, std::array<double, 3> k) {
  return [=](Context<Host>& ctx) {
    return reference::finite_volumes(
        ctx, cells, [=](int d, const std::array<Index, 3>&) { return k[static_cast<std::size_t>(d)]; });
  };
}

std::function<Matrix(Context<Host>&)> log_normal(std::array<Index, 3> cells) {
  return [=](Context<Host>& ctx) {
    return reference::finite_volumes(ctx, cells, reference::harmonic(cells, reference::log_normal(cells, 3.0, 1)));
  };
}

std::function<Matrix(Context<Host>&)> stretched(std::array<Index, 3> cells, double ratio,
                                                std::array<bool, 3> directions) {
  return [=](Context<Host>& ctx) {
    return reference::finite_volumes(ctx, cells, reference::stretched(cells, ratio, directions));
  };
}

std::filesystem::path data_file(const std::string& name) { return std::filesystem::path(AMGSOLVE_DATA_DIR) / name; }

std::function<Matrix(Context<Host>&)> read(const std::string& name) {
  return [=](Context<Host>& ctx) { return read_matrix_market<double>(ctx, data_file(name + ".mtx.xz")); };
}

std::vector<Problem> problems() {
  std::vector<Problem> all = {
      {"p1", generated({256, 256}, Discretization::fd), 13, 1.42},
      {"p2", generated({256, 256}, Discretization::q1), 12, 1.15},
      {"p3", generated({40, 40, 40}, Discretization::fd), 11, 1.52},
      {"p4", generated({36, 36, 36}, Discretization::q1), 9, 1.06},
      {"p6", generated({128, 128}, Discretization::q1, {.epsilon = 1e-3, .angle = 30.0}), 19, 1.6},
      {"p6_of_256", generated({256, 256}, Discretization::q1, {.epsilon = 1e-3, .angle = 30.0}), 21, 1.6},
      {"q1_one_hundredth", generated({128, 128}, Discretization::q1, {.epsilon = 1e-2, .angle = 17.0}), 22, 1.75},
      {"q1_one_tenth", generated({128, 128}, Discretization::q1, {.epsilon = 1e-1, .angle = 30.0}), 15, 1.4},
      {"q1_on_axis", generated({256, 256}, Discretization::q1, {.epsilon = 1e-4, .angle = 0.0}), 27, 1.75},
      {"five_points_one_tenth", differences({128, 128, 1}, {1, 1e-1, 1}), 14, 1.75},
      {"five_points_one_hundredth", differences({128, 128, 1}, {1, 1e-2, 1}), 16, 1.75},
      {"five_points", differences({128, 128, 1}, {1, 1e-3, 1}), 18, 1.75},
      {"five_points_weakest", differences({128, 128, 1}, {1, 1e-4, 1}), 19, 1.75},
      {"box_one_weak_tenth", differences({32, 32, 32}, {1, 1, 1e-1}), 12, 1.8},
      {"box_one_weak", differences({32, 32, 32}, {1, 1, 1e-3}), 13, 1.8},
      {"box_two_weak_tenth", differences({32, 32, 32}, {1, 1e-1, 1e-1}), 12, 1.9},
      {"box_two_weak", differences({32, 32, 32}, {1, 1e-3, 1e-3}), 15, 1.8},
      {"box_two_weakest", differences({32, 32, 32}, {1, 1e-4, 1e-4}), 16, 1.8},
      {"q1_box_one_weak",
       [](Context<Host>& ctx) {
         return reference::trilinear(ctx, 24, {1, 1, 1e-3});
       },
       14, 1.4},
      {"q1_box_two_weak",
       [](Context<Host>& ctx) {
         return reference::trilinear(ctx, 24, {1, 1e-3, 1e-3});
       },
       22, 1.8},
      {"circular_field", [](Context<Host>& ctx) { return reference::circular_field(ctx, 128, 1e-3); }, 44, 1.75},
      {"stretched_2d", stretched({128, 128, 1}, 1e4, {true, true, false}), 18, 1.9},
      {"stretched_3d", stretched({32, 32, 32}, 1e3, {false, false, true}), 14, 1.9},
      {"log_normal_2d", log_normal({128, 128, 1}), 32, 1.9},
      {"log_normal_3d", log_normal({32, 32, 32}), 22, 2.1},
      {"checkerboard_2d_hundred", with_coefficient({128, 128}, CoefficientType::checkerboard, 1e2, 4), 20, 1.75},
      {"checkerboard_2d", with_coefficient({128, 128}, CoefficientType::checkerboard, 1e4, 4), 22, 1.75},
      {"checkerboard_2d_cells", with_coefficient({128, 128}, CoefficientType::checkerboard, 1e4, 1), 15, 1.6},
      {"checkerboard_2d_large", with_coefficient({128, 128}, CoefficientType::checkerboard, 1e4, 16), 15, 1.6},
      {"checkerboard_3d_hundred", with_coefficient({32, 32, 32}, CoefficientType::checkerboard, 1e2, 8), 13, 1.8},
      {"checkerboard_3d", with_coefficient({32, 32, 32}, CoefficientType::checkerboard, 1e4, 8), 13, 1.8},
      {"checkerboard_3d_million", with_coefficient({32, 32, 32}, CoefficientType::checkerboard, 1e6, 8), 14, 1.8},
      {"random_hundred", with_coefficient({128, 128}, CoefficientType::random, 1e2, 1), 20, 1.6},
      {"random", with_coefficient({128, 128}, CoefficientType::random, 1e4, 1), 30, 1.9},
      {"inclusions_hundred", with_coefficient({128, 128}, CoefficientType::inclusions, 1e2, 4), 20, 1.75},
      {"inclusions", with_coefficient({128, 128}, CoefficientType::inclusions, 1e4, 4), 17, 1.75},
  };
  for (int degrees = 0; degrees <= 90; degrees += 3) {
    all.push_back({"q1_at_" + std::to_string(degrees) + "_degrees",
                   generated({96, 96}, Discretization::q1, {.epsilon = 1e-3, .angle = 1.0 * degrees}), 26, 1.75});
  }
  return all;
}

void expect_solved(const Problem& problem) {
  Context<Host> ctx;
  SolverOptions options;
  options.max_iterations = problem.iterations;
  AmgSolver<double, Host> solver({}, options);
  Matrix A = problem.make(ctx);
  const Index n = A.rows;
  solver.setup(ctx, std::move(A));
  FatVector<double, Host> b(ctx, n);
  FatVector<double, Host> x(ctx, n);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  const SolveResult result = solver.solve(ctx, std::as_const(b), x);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LE(solver.summary().operator_complexity, problem.complexity);
}

class Robustness : public ::testing::TestWithParam<Problem> {};

TEST_P(Robustness, DefaultOptionsSolveIt) { expect_solved(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, Robustness, ::testing::ValuesIn(problems()),
                         [](const auto& instance) { return instance.param.name; });

/// The same for matrices of files in ../shared/data.
class RobustnessOfFiles : public ::testing::TestWithParam<Problem> {};

TEST_P(RobustnessOfFiles, DefaultOptionsSolveIt) {
  if (!std::filesystem::exists(data_file("usroads.mtx.xz"))) {
    GTEST_SKIP() << "the real matrices are absent; set AMGSOLVE_DATA_DIR to their folder";
  }
  expect_solved(GetParam());
}

std::function<Matrix(Context<Host>&)> laplacian(const std::string& name) {
  return [=](Context<Host>& ctx) { return reference::grounded_laplacian(ctx, read(name)(ctx)); };
}

std::function<Matrix(Context<Host>&)> triangles(double epsilon) {
  return [=](Context<Host>& ctx) { return reference::triangles(ctx, data_file("mesh_cmm2d.txt.xz"), epsilon, 30.0); };
}

INSTANTIATE_TEST_SUITE_P(All, RobustnessOfFiles,
                         ::testing::Values(Problem{"triangles", triangles(1.0), 12, 1.4},
                                           Problem{"triangles_with_direction", triangles(1e-3), 40, 1.75},
                                           Problem{"G2_circuit", read("G2_circuit"), 22, 1.9},
                                           Problem{"dc_grid", read("dc_case_ACTIVSg10k"), 29, 1.95},
                                           Problem{"bus", read("1138_bus"), 21, 1.6},
                                           Problem{"jnlbrng1", read("jnlbrng1"), 9, 1.7},
                                           Problem{"poisson4k", read("Poisson4k"), 12, 1.4},
                                           Problem{"usroads", laplacian("usroads"), 20, 1.8},
                                           Problem{"delaunay", laplacian("delaunay_n16"), 13, 1.3}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace amgsolve
