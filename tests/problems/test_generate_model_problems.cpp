#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "problems/generate.hpp"
#include "tests/reference/model_problems.hpp"

/// The problems that benchmarks of solvers agree on, entry by entry and at their full size.
namespace amgsolve {
namespace {

using reference::grid;
using reference::poisson;

/// Column relative to the row, and value, of each entry of a row.
std::map<Index, double> row_entries(const CsrMatrix<double, Host>& A, Index row) {
  const auto i = static_cast<std::size_t>(row);
  std::map<Index, double> entries;
  for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
    entries[A.col_indices[k] - row] = A.values[k];
  }
  return entries;
}

Index number(const StructuredGrid& grid, std::int64_t x, std::int64_t y, std::int64_t z = 0) {
  return static_cast<Index>(x + grid.size[0] * (y + grid.size[1] * z));
}

/// The box stencil of a 3D problem whose value depends on the number of directions of the step.
std::map<Index, double> box(Index nx, Index ny, const std::array<double, 4>& value) {
  std::map<Index, double> entries;
  for (Index z = -1; z <= 1; ++z) {
    for (Index y = -1; y <= 1; ++y) {
      for (Index x = -1; x <= 1; ++x) {
        entries[x + nx * (y + ny * z)] = value[static_cast<std::size_t>((x != 0) + (y != 0) + (z != 0))];
      }
    }
  }
  return entries;
}

TEST(ModelProblems, P1IsTheFivePointLaplacian) {
  Context<Host> ctx;
  const GeneratedProblem problem = poisson(grid({1024, 1024}), Discretization::fd);
  const auto A = generate_matrix<double>(ctx, problem);
  EXPECT_EQ(A.rows, 1024 * 1024);
  EXPECT_EQ(A.nnz(), 5 * 1024 * 1024 - 4 * 1024);
  const std::map<Index, double> interior{{-1024, -1.0}, {-1, -1.0}, {0, 4.0}, {1, -1.0}, {1024, -1.0}};
  EXPECT_EQ(row_entries(A, number(problem.grid, 500, 700)), interior);
  const std::map<Index, double> corner{{0, 4.0}, {1, -1.0}, {1024, -1.0}};
  EXPECT_EQ(row_entries(A, 0), corner);
}

TEST(ModelProblems, P2IsTheBilinearNinePointStencil) {
  Context<Host> ctx;
  const GeneratedProblem problem = poisson(grid({1024, 1024}), Discretization::q1);
  const auto A = generate_matrix<double>(ctx, problem);
  EXPECT_EQ(A.nnz(), Offset{3070} * 3070);
  const std::map<Index, double> interior{{-1025, -1.0 / 3.0}, {-1024, -1.0 / 3.0}, {-1023, -1.0 / 3.0},
                                         {-1, -1.0 / 3.0},    {0, 8.0 / 3.0},      {1, -1.0 / 3.0},
                                         {1023, -1.0 / 3.0},  {1024, -1.0 / 3.0},  {1025, -1.0 / 3.0}};
  EXPECT_EQ(row_entries(A, number(problem.grid, 500, 700)), interior);
}

TEST(ModelProblems, P3IsTheSevenPointLaplacian) {
  Context<Host> ctx;
  const GeneratedProblem problem = poisson(grid({101, 101, 101}), Discretization::fd);
  const auto A = generate_matrix<double>(ctx, problem);
  EXPECT_EQ(A.rows, 1030301);
  EXPECT_EQ(A.nnz(), 7 * 1030301 - 6 * 10201);
  const std::map<Index, double> interior{{-10201, -1.0}, {-101, -1.0}, {-1, -1.0},   {0, 6.0},
                                         {1, -1.0},      {101, -1.0},  {10201, -1.0}};
  EXPECT_EQ(row_entries(A, number(problem.grid, 50, 60, 70)), interior);
}

TEST(ModelProblems, P4IsTheTrilinearStencilWithStoredZeros) {
  Context<Host> ctx;
  const GeneratedProblem problem = poisson(grid({101, 101, 101}), Discretization::q1);
  const auto A = generate_matrix<double>(ctx, problem);
  EXPECT_EQ(A.nnz(), Offset{301} * 301 * 301);
  EXPECT_EQ(row_entries(A, number(problem.grid, 50, 60, 70)), box(101, 101, {8.0 / 3.0, 0.0, -1.0 / 6.0, -1.0 / 12.0}));
}

TEST(ModelProblems, P6IsRotatedAnisotropicDiffusion) {
  Context<Host> ctx;
  GeneratedProblem problem = poisson(grid({512, 512}), Discretization::q1);
  problem.pde = Pde::diffusion;
  problem.anisotropy = {1e-3, 30.0};
  const auto A = generate_matrix<double>(ctx, problem);
  EXPECT_EQ(A.nnz(), Offset{1534} * 1534);

  // K_xx = ε sin² + cos², K_yy = ε cos² + sin², K_xy = (1 − ε) sin cos at 30 degrees. The strong direction (√3, 1) lies
  // between (1, 0) and (1, 1), so (1, −1) is coupled with the wrong sign.
  const double xx = 0.75 + 0.25e-3;
  const double yy = 0.25 + 0.75e-3;
  const double xy = 0.999 * std::sqrt(3.0) / 4.0;
  const double along_x = (yy - 2.0 * xx) / 3.0;
  const double along_y = (xx - 2.0 * yy) / 3.0;
  const double along = -(xx + yy) / 6.0 - xy / 2.0;
  const double across = -(xx + yy) / 6.0 + xy / 2.0;
  const std::map<Index, double> expected{
      {-513, along}, {-512, along_y}, {-511, across}, {-1, along_x}, {0, 4.0 * (xx + yy) / 3.0},
      {1, along_x},  {511, across},   {512, along_y}, {513, along}};
  const std::map<Index, double> actual = row_entries(A, number(problem.grid, 200, 300));
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto& [column, value] : expected) {
    EXPECT_NEAR(actual.at(column), value, 1e-15) << "step " << column;
  }
  EXPECT_GT(across, 0.0);
}

TEST(ModelProblems, P7HasHarmonicMeansBetweenBlocks) {
  Context<Host> ctx;
  GeneratedProblem problem = poisson(grid({101, 101, 101}), Discretization::fd);
  problem.pde = Pde::diffusion;
  problem.coefficient = {CoefficientType::checkerboard, 1.0, 1.0, 1e4, 8};
  const auto A = generate_matrix<double>(ctx, problem);
  EXPECT_EQ(A.nnz(), 7 * 1030301 - 6 * 10201);

  const double interface = 2e4 / 10001.0;
  const std::map<Index, double> last_of_low{{-10201, -1.0},  {-101, -1.0}, {-1, -1.0},   {0, 5.0 + interface},
                                            {1, -interface}, {101, -1.0},  {10201, -1.0}};
  EXPECT_EQ(row_entries(A, number(problem.grid, 7, 3, 3)), last_of_low);
  const std::map<Index, double> first_of_high{{-10201, -1e4}, {-101, -1e4}, {-1, -interface}, {0, 5e4 + interface},
                                              {1, -1e4},      {101, -1e4},  {10201, -1e4}};
  const std::map<Index, double> actual = row_entries(A, number(problem.grid, 8, 3, 3));
  for (const auto& [column, value] : first_of_high) {
    EXPECT_DOUBLE_EQ(actual.at(column), value) << "step " << column;
  }
  // A Dirichlet boundary sees the coefficient of the cell beside it.
  EXPECT_EQ(row_entries(A, 0).at(0), 6.0);
}

TEST(ModelProblems, BoxStencilsCountTheirNeighbours) {
  Context<Host> ctx;
  GeneratedProblem problem = poisson(grid({6, 5, 7}), Discretization::fd);
  problem.stencil = 27;
  EXPECT_EQ(row_entries(generate_matrix<double>(ctx, problem), number(problem.grid, 2, 2, 3)),
            box(6, 5, {26.0, -1.0, -1.0, -1.0}));
  EXPECT_EQ(row_entries(generate_matrix<double>(ctx, problem), 0).at(0), 26.0);

  problem.grid = grid({6, 5});
  problem.stencil = 9;
  const auto A = generate_matrix<double>(ctx, problem);
  EXPECT_EQ(A.nnz(), 16 * 13);
  EXPECT_EQ(row_entries(A, 0).at(0), 8.0);

  problem.boundary = Boundary::neumann;
  EXPECT_EQ(row_entries(generate_matrix<double>(ctx, problem), 0).at(0), 3.0);
}

TEST(ModelProblems, PeriodicRowsWrapAroundInAscendingOrder) {
  Context<Host> ctx;
  GeneratedProblem problem = poisson(grid({4, 3}), Discretization::fd);
  problem.boundary = Boundary::periodic;
  const auto A = generate_matrix<double>(ctx, problem);
  EXPECT_EQ(A.nnz(), 5 * 12);
  EXPECT_EQ(std::vector<Index>(A.col_indices.data(), A.col_indices.data() + 5), (std::vector<Index>{0, 1, 3, 4, 8}));
  const std::map<Index, double> expected{{0, 4.0}, {1, -1.0}, {3, -1.0}, {4, -1.0}, {8, -1.0}};
  EXPECT_EQ(row_entries(A, 0), expected);
}

}  // namespace
}  // namespace amgsolve
