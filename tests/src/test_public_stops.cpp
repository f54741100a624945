#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <amgsolve/amgsolve.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/src/own_matrix.hpp"

/// Calls of the library that are asked to end before they are done.
namespace amgsolve {
namespace {

using testing::HasSubstr;

using Matrix = OwnMatrix<double, std::int64_t>;

TEST(PublicStops, SetupEndsWhereverItIsAskedTo) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  std::vector<double> undisturbed(b.size(), 0.0);
  Solver<double> solver(small_options());
  solver.setup(A.view());
  solver.solve(b, undisturbed);

  int left = 0;
  solver.stop_when([&left] { return left-- == 0; });
  int asked = 0;
  for (bool interrupted = true; interrupted; ++asked) {
    left = asked;
    try {
      solver.setup(A.view());
      interrupted = false;
    } catch (const Exception& error) {
      ASSERT_EQ(error.status(), Status::interrupted) << error.what();
      ASSERT_THAT(error.what(), HasSubstr("interrupted "));
      ASSERT_EQ(nlohmann::json::parse(solver.report_json())["status"], "interrupted");
      ASSERT_EQ(status_thrown_by([&] { solver.solve(b, x); }), Status::bad_input) << "nothing is set up";
    }
  }
  EXPECT_GT(asked, 30) << "phases on several levels";
  solver.stop_when({});
  std::ranges::fill(x, 0.0);
  EXPECT_EQ(solver.solve(b, x).status, Status::converged);
  EXPECT_EQ(x, undisturbed);
}

/// The null space is looked for when all levels are there: levels without it would break solves down.
TEST(PublicStops, ASingularMatrixIsSetUpWithItsNullSpaceOrNotAtAll) {
  Matrix A = poisson<double, std::int64_t>(20);
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    const auto begin = static_cast<std::size_t>(A.row_offsets[i]);
    const auto end = static_cast<std::size_t>(A.row_offsets[i + 1]);
    for (std::size_t e = begin; e < end; ++e) {
      A.values[e] = A.col_indices[e] == static_cast<std::int32_t>(i) ? static_cast<double>(end - begin) - 1.0 : -1.0;
    }
  }
  std::vector<double> b(static_cast<std::size_t>(A.rows), 0.0);
  b.front() = 1.0;
  const auto solve = [&](Solver<double>& solver) {
    std::vector<double> x(b.size(), 0.0);
    return solver.solve(b, x);
  };
  for (const char* reuse : {"none", "pattern", "hierarchy"}) {
    bool interrupted = true;
    for (int asked = 0; interrupted; ++asked) {
      Solver<double> solver(small_options().set("solver.reuse", reuse));
      int left = asked;
      solver.stop_when([&left] { return left-- == 0; });
      try {
        solver.setup(A.view());
        interrupted = false;
      } catch (const Exception&) {
        ASSERT_EQ(status_thrown_by([&] { solve(solver); }), Status::bad_input) << reuse << ", " << asked;
        ASSERT_EQ(status_thrown_by([&] { solver.hierarchy(); }), Status::bad_input) << reuse << ", " << asked;
      }
    }
    interrupted = true;
    for (int asked = 0; interrupted; ++asked) {
      Solver<double> solver(small_options().set("solver.reuse", reuse));
      solver.setup(A.view());
      int left = asked;
      solver.stop_when([&left] { return left-- == 0; });
      try {
        solver.update_values(A.view());
        interrupted = false;
      } catch (const Exception&) {
        solver.stop_when({});
        try {
          ASSERT_EQ(solve(solver).status, Status::converged) << reuse << ", " << asked;
        } catch (const Exception& error) {
          ASSERT_EQ(error.status(), Status::bad_input) << error.what();
        }
      }
    }
  }
}

TEST(PublicStops, SolveEndsWhereverItIsAskedToWithTheTruth) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  Solver<double> solver(small_options());
  solver.setup(A.view());
  std::vector<double> x(b.size(), 0.0);
  const int iterations = solver.solve(b, x).iterations;
  int left = 0;
  solver.stop_when([&left] { return left-- == 0; });
  int most = 0;
  for (int asked = 0;; ++asked) {
    left = asked;
    std::ranges::fill(x, 0.0);
    try {
      const Result result = solver.solve(b, x);
      if (result.status == Status::converged) {
        break;
      }
      ASSERT_EQ(result.status, Status::interrupted);
      ASSERT_NEAR(relative_residual(A, b, x, 1, 0), result.relative_residual, 1e-3 * result.relative_residual);
      ASSERT_EQ(result.residual_history.back(), result.relative_residual);
      ASSERT_EQ(nlohmann::json::parse(solver.report_json())["status"], "interrupted");
      most = std::max(most, result.iterations);
    } catch (const Exception& error) {
      ASSERT_EQ(error.status(), Status::interrupted);
      ASSERT_EQ(std::ranges::count(x, 0.0), A.rows) << "before the first iteration";
    }
  }
  EXPECT_EQ(most, iterations - 1);
}

TEST(PublicStops, TellsOfIterationsAndEndsAfterAny) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  Options options;
  options.set("amg.coarse_size", 50);
  Solver<double> solver(options);
  std::vector<double> residuals;
  solver.on_iteration([&](int iterations, double relative_residual) {
    residuals.push_back(relative_residual);
    EXPECT_EQ(iterations, static_cast<int>(residuals.size()));
    return true;
  });
  solver.setup(A.view());
  EXPECT_TRUE(residuals.empty());
  const Result whole = solver.solve(b, x);
  ASSERT_EQ(residuals.size() + 1, whole.residual_history.size());
  EXPECT_TRUE(std::equal(residuals.begin(), residuals.end() - 1, whole.residual_history.begin() + 1));

  solver.on_iteration([](int iterations, double) { return iterations < 3; });
  std::ranges::fill(x, 0.0);
  EXPECT_EQ(solver.solve(b, x).status, Status::interrupted);
  Solver<double> limited(options.set("solver.max_iterations", 3));
  limited.setup(A.view());
  std::vector<double> y(b.size(), 0.0);
  EXPECT_EQ(limited.solve(b, y).iterations, 3);
  EXPECT_EQ(x, y) << "the iterate of that iteration";
  solver.on_iteration({});
  EXPECT_EQ(solver.solve(b, x).status, Status::converged);
}

}  // namespace
}  // namespace amgsolve
