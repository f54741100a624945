#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "core/errors.hpp"
#include "problems/matrix_market.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"

namespace amgsolve {
namespace {

std::filesystem::path data_file(const std::string& name) {
  return std::filesystem::path(AMGSOLVE_DATA_DIR) / (name + ".mtx.xz");
}

struct RealMatrix {
  const char* name;
  int iterations;  ///< the most allowed, a quarter above what was seen when the bound was set
};

class RealMatrices : public ::testing::TestWithParam<RealMatrix> {};

/// Structures, circuits, power networks and optimisation: with no word about the problem behind the matrix.
TEST_P(RealMatrices, ConvergeWithTheDefaultOptions) {
  const auto file = data_file(GetParam().name);
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << file << " is absent; set AMGSOLVE_DATA_DIR to the folder of the real matrices";
  }
  Context<Host> ctx;
  SolverOptions options;
  options.max_iterations = GetParam().iterations;
  AmgSolver<double, Host> solver({}, options);
  auto A = read_matrix_market<double>(ctx, file);
  const Index n = A.rows;
  solver.setup(ctx, std::move(A));
  MultiVector<double, Host> b(ctx, n);
  MultiVector<double, Host> x(ctx, n);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  const SolveResult result = solver.solve(ctx, std::as_const(b), x);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LE(result.relative_residual, default_tolerance<double>);
}

INSTANTIATE_TEST_SUITE_P(All, RealMatrices,
                         ::testing::Values(RealMatrix{"G2_circuit", 38}, RealMatrix{"bcsstk16", 38},
                                           RealMatrix{"bcsstk17", 175}, RealMatrix{"gridgena", 109},
                                           RealMatrix{"cvxbqp1", 2570}, RealMatrix{"nos3", 30},
                                           RealMatrix{"1138_bus", 50}),
                         [](const auto& instance) { return std::string("Matrix_") + instance.param.name; });

/// Solves A x = 1.
SolveResult solve_for_ones(Context<Host>& ctx, CsrMatrix<double, Host> A, const AmgOptions& amg,
                           const SolverOptions& options) {
  MultiVector<double, Host> b(ctx, A.rows);
  MultiVector<double, Host> x(ctx, A.rows);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  AmgSolver<double, Host> solver(amg, options);
  solver.setup(ctx, std::move(A));
  return solver.solve(ctx, std::as_const(b), x);
}

/// The rows of consecutive ones of the same pattern are those of a node; nodes of fewer than six unknowns get rows of a
/// diagonal entry alone.
CsrMatrix<double, Host> with_six_unknowns_a_node(Context<Host>& ctx, const CsrMatrix<double, Host>& A) {
  const auto row = [&](Index i) {
    const Index* const cols = A.col_indices.data();
    return std::vector<Index>(cols + A.row_offsets.data()[i], cols + A.row_offsets.data()[i + 1]);
  };
  std::vector<Index> place(static_cast<std::size_t>(A.rows));
  Index next = 0;
  for (Index i = 0; i < A.rows; ++i) {
    if (i > 0 && row(i) != row(i - 1)) {
      next = (next + 5) / 6 * 6;
    }
    place[static_cast<std::size_t>(i)] = next++;
  }
  const Index rows = (next + 5) / 6 * 6;
  std::vector<reference::Entry> entries;
  std::vector<bool> is_there(static_cast<std::size_t>(rows));
  for (Index i = 0; i < A.rows; ++i) {
    const Index to = place[static_cast<std::size_t>(i)];
    is_there[static_cast<std::size_t>(to)] = true;
    for (Offset k = A.row_offsets.data()[i]; k < A.row_offsets.data()[i + 1]; ++k) {
      entries.push_back({to, place[static_cast<std::size_t>(A.col_indices.data()[k])], A.values.data()[k]});
    }
  }
  for (Index i = 0; i < rows; ++i) {
    if (!is_there[static_cast<std::size_t>(i)]) {
      entries.push_back({i, i, 1.0});
    }
  }
  return reference::matrix_from_entries<double>(ctx, rows, rows, std::move(entries));
}

// A cylinder: displacements and rotations of a node differ in their units and hang together.
TEST(RealMatrix, AShellIsSmoothedByTheBlocksOfItsNodes) {
  if (!std::filesystem::exists(data_file("s3rmt3m3"))) {
    GTEST_SKIP() << data_file("s3rmt3m3") << " is absent; set AMGSOLVE_DATA_DIR to the folder of the real matrices";
  }
  Context<Host> ctx;
  const auto cylinder = with_six_unknowns_a_node(ctx, read_matrix_market<double>(ctx, data_file("s3rmt3m3")));
  AmgOptions amg;
  amg.block_size = 6;
  const SolverOptions options{.max_iterations = 520};  // 417 were seen
  const SolveResult thin = solve_for_ones(ctx, convert_values<double>(ctx, cylinder), amg, options);
  EXPECT_LE(thin.reason, StopReason::attained) << describe(thin.reason);
  amg.smoother.type = SmootherType::chebyshev;
  EXPECT_GT(solve_for_ones(ctx, convert_values<double>(ctx, cylinder), amg, options).reason, StopReason::attained);
}

TEST(RealMatrix, ANegativeDefiniteOneIsSolvedByItsSign) {
  const auto file = data_file("lap3d_40");
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << file << " is absent; set AMGSOLVE_DATA_DIR to the folder of the real matrices";
  }
  Context<Host> ctx;
  auto A = read_matrix_market<double>(ctx, file);
  MultiVector<double, Host> b(ctx, A.rows);
  MultiVector<double, Host> x(ctx, A.rows);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  AmgSolver<double, Host> solver({}, {});
  solver.setup(ctx, std::move(A));
  const SolveResult result = solver.solve(ctx, std::as_const(b), x);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_TRUE(result.is_negated);
  EXPECT_LE(result.iterations, 12);
}

}  // namespace
}  // namespace amgsolve
