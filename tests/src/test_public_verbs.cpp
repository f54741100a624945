#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <amgsolve/amgsolve.hpp>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/reference/matrices.hpp"
#include "tests/src/own_matrix.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;

using Matrix = OwnMatrix<double, std::int64_t>;

template <class T>
class Verbs : public testing::Test {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(Verbs, Values);

TYPED_TEST(Verbs, PreconditioningIsOneCycle) {
  using T = TypeParam;
  const auto A = poisson<T, std::int32_t>(40);
  const std::vector<T> b = reference::random_values<T>(static_cast<std::size_t>(3 * A.rows), 1);
  for (const char* precision : {"same", "mixed"}) {
    Solver<T> solver(small_options().set("solver.method", "amg").set("amg.precision", precision));
    solver.setup(A.view());
    SolveSettings<T> one_step;
    one_step.columns = 3;
    one_step.max_iterations = 1;
    std::vector<T> x(b.size(), T{0});
    EXPECT_EQ(solver.solve(b, x, one_step).iterations, 1);
    std::vector<T> z(b.size(), std::numeric_limits<T>::quiet_NaN());
    solver.precondition(b, z, 3);
    // The iteration scales b by powers of two, the stored solution by none.
    EXPECT_EQ(x, z) << precision;
    std::vector<T> in_place = b;
    solver.precondition(in_place, in_place, 3);
    EXPECT_EQ(in_place, z);
  }
}

TEST(PublicVerbs, ThePreconditionerIsSymmetricAndPositive) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const auto n = static_cast<std::size_t>(A.rows);
  Solver<double> solver(small_options().set("amg.precision", "same"));
  solver.setup(A.view());
  const auto dot = [n](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      sum += a[i] * b[i];
    }
    return sum;
  };
  const std::vector<double> r = reference::random_values<double>(n, 1);
  const std::vector<double> s = reference::random_values<double>(n, 2);
  std::vector<double> Mr(n);
  std::vector<double> Ms(n);
  solver.precondition(r, Mr);
  solver.precondition(s, Ms);
  EXPECT_GT(dot(r, Mr), 0.0);
  const double size = std::sqrt(dot(r, Mr) * dot(s, Ms));
  EXPECT_NEAR(dot(r, Ms), dot(s, Mr), 1e-12 * size);
  EXPECT_THAT(solver.report(), HasSubstr("precondition"));
}

TEST(PublicVerbs, PreconditioningRefusesWhatDoesNotFit) {
  const Matrix A = poisson<double, std::int64_t>(10);
  const std::vector<double> r(100, 1.0);
  std::vector<double> z(100, 0.0);
  std::vector<double> shorter(99, 0.0);
  Solver<double> solver(small_options());
  EXPECT_EQ(status_thrown_by([&] { solver.precondition(r, z); }), Status::bad_input) << "no setup";
  solver.setup(A.view());
  EXPECT_EQ(status_thrown_by([&] { solver.precondition(r, shorter); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.precondition(shorter, z); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.precondition(r, z, 2); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.precondition(r, z, 0); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.precondition(r, z, 1, MemoryKind::device); }), Status::bad_input);
  solver.stop_when([] { return true; });
  EXPECT_EQ(status_thrown_by([&] { solver.precondition(r, z); }), Status::interrupted);
  solver.stop_when({});
  solver.precondition(r, z);
  EXPECT_GT(*std::ranges::min_element(z), 0.0);
}

TEST(PublicVerbs, PreconditioningThatFailsSaysNothingOfTheLastSolve) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  Solver<double> solver(small_options());
  solver.setup(A.view());
  const Result result = solver.solve(b, x);
  const auto expect_outcome_of_solve = [&] {
    const auto report = nlohmann::json::parse(solver.report_json());
    EXPECT_EQ(report["status"], "converged");
    EXPECT_EQ(report["message"], result.message);
    EXPECT_EQ(report["iterations"], result.iterations);
  };
  EXPECT_EQ(status_thrown_by([&] { solver.precondition(b, x, 7); }), Status::bad_input);
  expect_outcome_of_solve();
  solver.stop_when([] { return true; });
  EXPECT_EQ(status_thrown_by([&] { solver.precondition(b, x); }), Status::interrupted);
  expect_outcome_of_solve();
}

TEST(PublicVerbs, SetupBeginsThePeakOfMemoryAnew) {
  const auto peak_of = [](Solver<double>& solver, const Matrix& A) {
    solver.setup(A.view());
    return nlohmann::json::parse(solver.report_json())["memory"]["peak_bytes"].get<std::int64_t>();
  };
  const Matrix A = poisson<double, std::int64_t>(40);
  Solver<double> alone(small_options());
  const std::int64_t expected = peak_of(alone, A);
  Solver<double> solver(small_options());
  EXPECT_GT(peak_of(solver, poisson<double, std::int64_t>(200)), expected);
  EXPECT_EQ(peak_of(solver, A), expected);
}

/// A program may trap it.
TEST(PublicVerbs, NothingOverflowsInAnOrdinarySolve) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const auto n = static_cast<std::size_t>(A.rows);
  std::vector<double> b(3 * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    b[3 * i] = 1.0;
    b[3 * i + 1] = std::sin(static_cast<double>(i));  // and a column of zeros
  }
  std::feclearexcept(FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID);
  for (const char* method : {"cg", "fcg", "minres", "gmres", "fgmres", "bicgstab", "amg"}) {
    Solver<double> solver(small_options().set("solver.method", method));
    solver.setup(A.view());
    std::vector<double> x(b.size(), 0.0);
    EXPECT_EQ(solver.solve(b, x, 3).status, Status::converged) << method;
    EXPECT_EQ(solver.solve(b, x, 3).iterations, 0) << "from the solution";
    EXPECT_EQ(std::fetestexcept(FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID), 0) << method;
  }
}

TYPED_TEST(Verbs, ASolveTakesAToleranceAndALimitOfItsOwn) {
  using T = TypeParam;
  const auto A = poisson<T, std::int64_t>(40);
  const std::vector<T> b(static_cast<std::size_t>(A.rows), T{1});
  Solver<T> solver(small_options().set("solver.tolerance", 1e-5));
  solver.setup(A.view());
  const auto solve = [&](const SolveSettings<T>& settings) {
    std::vector<T> x(b.size(), T{0});
    return solver.solve(b, x, settings);
  };
  const Result usual = solve({});
  SolveSettings<T> loose;
  loose.tolerance = 1e-2;
  const Result early = solve(loose);
  EXPECT_EQ(early.status, Status::converged);
  EXPECT_LE(early.relative_residual, 1e-2);
  EXPECT_LT(early.iterations, usual.iterations);
  EXPECT_THAT(solver.report(), HasSubstr("asked for: 1.0e-02"));
  SolveSettings<T> short_one;
  short_one.max_iterations = 2;
  const Result cut = solve(short_one);
  EXPECT_EQ(cut.status, Status::not_converged);
  EXPECT_EQ(cut.iterations, 2);
  const Result again = solve({});
  EXPECT_EQ(again.residual_history, usual.residual_history);
  EXPECT_THAT(solver.report(), HasSubstr("asked for: 1.0e-05"));
}

TEST(PublicVerbs, SettingsOutOfRangeAreRefusedAsTheKeysAre) {
  const Matrix A = poisson<double, std::int64_t>(10);
  const std::vector<double> b(100, 1.0);
  std::vector<double> x(100, 0.0);
  Solver<double> solver(small_options());
  solver.setup(A.view());
  const auto message_of = [&](std::optional<double> tolerance, std::optional<int> max_iterations) -> std::string {
    SolveSettings<double> settings;
    settings.tolerance = tolerance;
    settings.max_iterations = max_iterations;
    try {
      solver.solve(b, x, settings);
    } catch (const Exception& error) {
      EXPECT_EQ(error.status(), Status::bad_configuration);
      return error.what();
    }
    return "taken";
  };
  for (const double tolerance : {-1e-8, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(message_of(tolerance, {}), HasSubstr("'solver.tolerance'"));
  }
  EXPECT_THAT(message_of({}, -1), HasSubstr("'solver.max_iterations'"));
  EXPECT_EQ(message_of(1e-3, 0), "taken");
}

TEST(PublicVerbs, ASolveThatEndsAtItsOwnLimitSaysNothingAgainstTheHierarchy) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  Solver<double> solver(small_options().set("solver.reuse", "hierarchy"));
  solver.setup(A.view());
  solver.solve(b, x);
  SolveSettings<double> short_one;
  short_one.max_iterations = 1;
  std::ranges::fill(x, 0.0);
  EXPECT_EQ(solver.solve(b, x, short_one).status, Status::not_converged);
  solver.update_values(A.view());
  EXPECT_THAT(solver.report_json(), Not(HasSubstr("set up anew")));
  std::ranges::fill(x, 0.0);
  solver.solve(b, x);
}

TYPED_TEST(Verbs, SolvesWithAMatrixThatIsNotAssembled) {
  using T = TypeParam;
  const auto A = poisson<T, std::int32_t>(40);
  auto varied = A;  // D A D for a D that varies slowly, not assembled for the solver
  const auto factor = [&](std::size_t i) {
    return static_cast<T>(1.0 + 0.1 * std::sin(6.0 * static_cast<double>(i) / static_cast<double>(A.rows)));
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (auto e = static_cast<std::size_t>(A.row_offsets[i]); e < static_cast<std::size_t>(A.row_offsets[i + 1]); ++e) {
      varied.values[e] *= factor(i) * factor(static_cast<std::size_t>(A.col_indices[e]));
    }
  }
  constexpr int columns = 2;
  const std::vector<T> b = reference::random_values<T>(static_cast<std::size_t>(columns * A.rows), 1);
  int calls = 0;
  SolveSettings<T> settings;
  settings.columns = columns;
  settings.product = [&](const T* x, T* y, int k, void* stream) {
    EXPECT_EQ(k, columns);
    EXPECT_EQ(stream, nullptr);
    std::ranges::transform(naive_product(varied, x, columns), y, [](double value) { return static_cast<T>(value); });
    ++calls;
  };
  for (const char* method : {"cg", "fcg", "amg"}) {
    Solver<T> solver(small_options().set("solver.method", method).set("solver.tolerance", 1e-4));
    solver.setup(A.view());
    std::vector<T> x(b.size(), T{0});
    calls = 0;
    const Result result = solver.solve(b, x, settings);
    EXPECT_EQ(result.status, Status::converged) << method << ": " << result.message;
    EXPECT_GE(calls, result.iterations + 2) << "each iteration, and the residual before and after";
    for (std::size_t j = 0; j < columns; ++j) {
      EXPECT_LE(relative_residual(varied, b, x, columns, j), 1.01e-4) << method;
      EXPECT_GT(relative_residual(A, b, x, columns, j), 1e-2) << "another matrix";
    }
  }
}

TEST(PublicVerbs, AProductWithTheMatrixItselfChangesNothing) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  std::vector<double> y(b.size(), 0.0);
  Solver<double> solver(small_options());
  solver.setup(A.view());
  const Result assembled = solver.solve(b, x);
  SolveSettings<double> settings;
  settings.product = [&](const double* in, double* out, int, void*) { std::ranges::copy(naive_product(A, in), out); };
  const Result free = solver.solve(b, y, settings);
  EXPECT_EQ(x, y) << "sums in the order of the entries";
  // The true residual sums A x with compensation where A is assembled.
  const double rounding = 8.0 * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(free.backward_error, assembled.backward_error, rounding);
  ASSERT_EQ(free.residual_history.size(), assembled.residual_history.size());
  for (std::size_t i = 0; i < free.residual_history.size(); ++i) {
    EXPECT_NEAR(free.residual_history[i], assembled.residual_history[i],
                rounding * assembled.residual_history.back() / assembled.backward_error);
  }
}

TEST(PublicVerbs, TellsOfTheHierarchyAsTheReportDoes) {
  const Matrix A = poisson<double, std::int64_t>(60);
  Solver<double> solver(small_options());
  EXPECT_EQ(status_thrown_by([&] { solver.hierarchy(); }), Status::bad_input);
  solver.setup(A.view());
  const HierarchyStatistics hierarchy = solver.hierarchy();
  const auto json = nlohmann::json::parse(solver.report_json());
  EXPECT_EQ(hierarchy.operator_complexity, json["operator_complexity"]);
  EXPECT_EQ(hierarchy.grid_complexity, json["grid_complexity"]);
  EXPECT_EQ(hierarchy.coarse_solver, json["coarse_solver"].get<std::string>());
  ASSERT_EQ(hierarchy.levels.size(), json["levels"].size());
  ASSERT_GE(hierarchy.levels.size(), 2u);
  for (std::size_t l = 0; l < hierarchy.levels.size(); ++l) {
    const LevelStatistics& level = hierarchy.levels[l];
    const auto& expected = json["levels"][l];
    EXPECT_EQ(level.rows, expected["rows"]);
    EXPECT_EQ(level.nonzeros, expected["nnz"]);
    EXPECT_EQ(level.bytes, expected["bytes"]);
    EXPECT_EQ(level.aggregates, expected["aggregates"]);
    EXPECT_EQ(level.mean_aggregate_size, expected["mean_aggregate_size"]);
    EXPECT_EQ(level.strength_threshold, expected["strength_threshold"]);
    EXPECT_EQ(level.dropped_weight, expected["dropped_weight"]);
    EXPECT_EQ(level.prolongator_steps, expected["prolongator_steps"]);
    EXPECT_EQ(level.truncation, expected["truncation"]);
    EXPECT_EQ(level.density, expected["density"]);
    EXPECT_EQ(level.spectral_radius, expected["spectral_radius"]);
    EXPECT_EQ(level.storage, expected["storage"].get<std::string>());
    EXPECT_THAT(level.storage, testing::AnyOf("csr", "sell", "pattern"));
  }
  Solver<double> padded(small_options().set("amg.storage", "ell"));
  padded.setup(A.view());
  EXPECT_EQ(padded.hierarchy().levels.back().storage, "ell");
}

/// A B, dense.
template <class T>
std::vector<double> dense_product(const CsrArrays<T>& A, const std::vector<double>& B, std::int64_t columns) {
  return naive_product(A, B.data(), static_cast<std::size_t>(columns));
}

template <class T>
std::vector<double> dense(const CsrArrays<T>& A) {
  std::vector<double> result(static_cast<std::size_t>(A.rows * A.cols), 0.0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (auto e = static_cast<std::size_t>(A.row_offsets[i]); e < static_cast<std::size_t>(A.row_offsets[i + 1]); ++e) {
      result[i * static_cast<std::size_t>(A.cols) + static_cast<std::size_t>(A.col_indices[e])] =
          static_cast<double>(A.values[e]);
    }
  }
  return result;
}

TYPED_TEST(Verbs, LevelMatricesAreThoseOfTheHierarchy) {
  using T = TypeParam;
  auto A = poisson<T, std::int64_t>(25);
  std::ranges::for_each(A.values, [](T& value) { value *= T{3000}; });  // what mixed precision scales
  for (const char* precision : {"same", "mixed"}) {
    for (const char* storage : {"csr", "ell", "sell", "pattern"}) {
      SCOPED_TRACE(testing::Message() << precision << ", " << storage);
      Solver<T> solver(small_options().set("amg.precision", precision).set("amg.storage", storage));
      solver.setup(A.view());
      const auto levels = static_cast<int>(solver.hierarchy().levels.size());
      ASSERT_GE(levels, 2);
      const CsrArrays<T> finest = solver.level_matrix(0, LevelMatrix::A);
      EXPECT_EQ(finest.rows, A.rows);
      EXPECT_EQ(finest.cols, A.rows);
      EXPECT_EQ(finest.row_offsets, A.row_offsets);
      EXPECT_EQ(finest.col_indices, A.col_indices);
      EXPECT_EQ(finest.values, A.values);
      const bool in_double = std::is_same_v<T, double> && std::string(precision) == "same";
      for (int l = 0; l + 1 < levels; ++l) {
        const CsrArrays<T> fine = solver.level_matrix(l, LevelMatrix::A);
        const CsrArrays<T> coarse = solver.level_matrix(l + 1, LevelMatrix::A);
        const CsrArrays<T> P = solver.level_matrix(l, LevelMatrix::P);
        const CsrArrays<T> R = solver.level_matrix(l, LevelMatrix::R);
        ASSERT_EQ(P.rows, fine.rows);
        ASSERT_EQ(P.cols, coarse.rows);
        ASSERT_EQ(R.rows, P.cols);
        ASSERT_EQ(R.cols, P.rows);
        EXPECT_EQ(solver.hierarchy().levels[static_cast<std::size_t>(l)].nonzeros,
                  static_cast<std::int64_t>(fine.values.size()));
        const std::vector<double> P_dense = dense(P);
        const std::vector<double> R_dense = dense(R);
        for (std::int64_t i = 0; i < P.rows; ++i) {
          for (std::int64_t j = 0; j < P.cols; ++j) {
            ASSERT_EQ(P_dense[static_cast<std::size_t>(i * P.cols + j)],
                      R_dense[static_cast<std::size_t>(j * P.rows + i)]);
          }
        }
        const std::vector<double> product = dense_product(R, dense_product(fine, P_dense, P.cols), P.cols);
        const std::vector<double> expected = dense(coarse);
        const double largest = std::abs(*std::ranges::max_element(fine.values));
        for (std::size_t i = 0; i < product.size(); ++i) {
          ASSERT_NEAR(product[i], expected[i], (in_double ? 1e-13 : 1e-5) * largest);
        }
      }
    }
  }
}

TEST(PublicVerbs, RefusesLevelsThatThereAreNot) {
  const Matrix A = poisson<double, std::int64_t>(20);
  Solver<double> solver(small_options());
  EXPECT_EQ(status_thrown_by([&] { solver.level_matrix(0, LevelMatrix::A); }), Status::bad_input);
  solver.setup(A.view());
  const auto levels = static_cast<int>(solver.hierarchy().levels.size());
  EXPECT_EQ(status_thrown_by([&] { solver.level_matrix(-1, LevelMatrix::A); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.level_matrix(levels, LevelMatrix::A); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.level_matrix(levels - 1, LevelMatrix::P); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.level_matrix(levels - 1, LevelMatrix::R); }), Status::bad_input);
  EXPECT_FALSE(solver.level_matrix(levels - 1, LevelMatrix::A).values.empty());
}

}  // namespace
}  // namespace amgsolve
