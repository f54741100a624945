#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <amgsolve/amgsolve.hpp>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "core/device.hpp"
#include "tests/src/own_matrix.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;

const Options begun_before_main = Options().set("solver.tolerance", 0.25);

TEST(PublicApi, OptionsMayBeAConstantOfTheProgram) { EXPECT_EQ(begun_before_main.get("solver.tolerance"), "0.25"); }

template <class V, class O>
struct Arrays {
  using Value = V;
  using Offset = O;
};

template <class A>
class PublicSolver : public testing::Test {
 protected:
  static double tolerance() { return std::is_same_v<typename A::Value, float> ? 1e-4 : 1e-9; }

  static Options options() {
    Options result;
    result.set("solver.tolerance", tolerance()).set("amg.coarse_size", 50);
    return result;
  }
};

using ArrayTypes = testing::Types<Arrays<float, std::int32_t>, Arrays<float, std::int64_t>,
                                  Arrays<double, std::int32_t>, Arrays<double, std::int64_t>>;
TYPED_TEST_SUITE(PublicSolver, ArrayTypes);

TYPED_TEST(PublicSolver, SolvesAndReportsTheTrueResidual) {
  using T = typename TypeParam::Value;
  const auto A = poisson<T, typename TypeParam::Offset>(40);
  const std::vector<T> b(static_cast<std::size_t>(A.rows), T{1});
  std::vector<T> x(b.size(), T{0});
  Solver<T> solver(this->options());
  solver.setup(A.view());
  const Result result = solver.solve(b, x);
  EXPECT_EQ(result.status, Status::converged) << result.message;
  EXPECT_EQ(result.residual_history.size(), static_cast<std::size_t>(result.iterations) + 1);
  EXPECT_LE(result.relative_residual, this->tolerance());
  EXPECT_LT(result.convergence_factor, 0.5);
  // Both are sums over five products a row in double; only their rounding differs.
  EXPECT_NEAR(relative_residual(A, b, x, 1, 0), result.relative_residual, 1e-3 * result.relative_residual + 1e-14);
}

TYPED_TEST(PublicSolver, SolvesColumnsTogether) {
  using T = typename TypeParam::Value;
  const auto A = poisson<T, typename TypeParam::Offset>(30);
  constexpr std::size_t columns = 3;
  std::vector<T> b(static_cast<std::size_t>(A.rows) * columns);
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = static_cast<T>(i % columns == 0 ? 1 : static_cast<int>(i % 7) - 3);
  }
  std::vector<T> x(b.size(), T{0});
  Solver<T> solver(this->options());
  solver.setup(A.view());
  EXPECT_EQ(solver.solve(b, x, columns).status, Status::converged);
  for (std::size_t j = 0; j < columns; ++j) {
    EXPECT_LE(relative_residual(A, b, x, columns, j), 1.01 * this->tolerance()) << j;
  }
}

TYPED_TEST(PublicSolver, TakesNearNullspaceVectors) {
  using T = typename TypeParam::Value;
  const auto A = poisson<T, typename TypeParam::Offset>(30);
  const std::vector<T> ones(static_cast<std::size_t>(A.rows), T{1});
  std::vector<T> x(ones.size(), T{0});
  std::vector<T> y(ones.size(), T{0});
  Solver<T> solver(this->options());
  solver.setup(A.view());
  solver.solve(ones, x);
  solver.setup(A.view(), ones);
  solver.solve(ones, y);
  EXPECT_EQ(x, y) << "constants are the default";
  std::vector<T> slope(ones.size());
  for (std::size_t i = 0; i < slope.size(); ++i) {
    slope[i] = T{1} + static_cast<T>(i % 30) / T{60};
  }
  solver.setup(A.view(), slope);
  std::ranges::fill(y, T{0});
  EXPECT_EQ(solver.solve(ones, y).status, Status::converged);
  EXPECT_NE(x, y);

  const std::span<const T> too_short(ones.data(), ones.size() - 1);
  EXPECT_THROW(solver.setup(A.view(), too_short), Exception);
}

TYPED_TEST(PublicSolver, TakesNewValuesWhateverIsReused) {
  using T = typename TypeParam::Value;
  auto A = poisson<T, typename TypeParam::Offset>(40);
  const std::vector<T> b(static_cast<std::size_t>(A.rows), T{1});
  for (const char* reuse : {"none", "pattern", "hierarchy"}) {
    Solver<T> solver(this->options().set("solver.reuse", reuse));
    solver.setup(A.view());
    for (int step = 0; step < 3; ++step) {
      // The diagonal grows, as for a shorter time step, in the arrays that the solver borrows.
      for (std::size_t row = 0; row < static_cast<std::size_t>(A.rows); ++row) {
        for (auto e = static_cast<std::size_t>(A.row_offsets[row]);
             e < static_cast<std::size_t>(A.row_offsets[row + 1]); ++e) {
          A.values[e] *= static_cast<std::size_t>(A.col_indices[e]) == row ? T{1.25} : T{1};
        }
      }
      solver.update_values(A.view());
      std::vector<T> x(b.size(), T{0});
      const Result result = solver.solve(b, x);
      EXPECT_EQ(result.status, Status::converged) << reuse << ": " << result.message;
      EXPECT_LE(relative_residual(A, b, x, 1, 0), 1.01 * this->tolerance()) << reuse << ", step " << step;
    }
  }
}

TYPED_TEST(PublicSolver, RefusesNewValuesForAnotherPattern) {
  using T = typename TypeParam::Value;
  const auto A = poisson<T, typename TypeParam::Offset>(30);
  const auto smaller = poisson<T, typename TypeParam::Offset>(20);
  const std::vector<T> b(static_cast<std::size_t>(A.rows), T{1});
  std::vector<T> x(b.size(), T{0});
  Solver<T> solver(this->options().set("solver.reuse", "pattern"));
  const auto message_for = [&](const auto& matrix) -> std::string {
    try {
      solver.update_values(matrix.view());
    } catch (const Exception& error) {
      EXPECT_EQ(error.status(), Status::bad_input);
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message_for(A), "no error") << "there was no setup";
  solver.setup(A.view());
  const std::string message = message_for(smaller);
  for (const std::size_t size : {std::size_t{400}, smaller.values.size(), std::size_t{900}, A.values.size()}) {
    EXPECT_THAT(message, HasSubstr(std::to_string(size)));
  }
  EXPECT_EQ(solver.solve(b, x).status, Status::converged) << "the former matrix stays";
}

using Matrix = OwnMatrix<double, std::int64_t>;

TEST(PublicApi, BothKindsOfOffsetsGiveTheSameBits) {
  const auto narrow = poisson<double, std::int32_t>(50);
  const auto wide = poisson<double, std::int64_t>(50);
  const std::vector<double> b(static_cast<std::size_t>(wide.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  std::vector<double> y(b.size(), 0.0);
  Solver<double> solver;
  solver.setup(narrow.view());
  solver.solve(b, x);
  solver.setup(wide.view());
  solver.solve(b, y);
  EXPECT_EQ(x, y);
}

TEST(PublicApi, CopiesOnlyNarrowOffsets) {
  const auto peak_bytes = [](const auto& A) {
    Options options;
    options.set("solver.backend", "host");
    options.set("amg.storage", "csr");  // stays the caller's while setup has its peak
    Solver<double> solver(options);
    solver.setup(A.view());
    return nlohmann::json::parse(solver.report_json())["memory"]["peak_bytes"].template get<std::int64_t>();
  };
  const auto narrow = poisson<double, std::int32_t>(50);
  const auto wide = poisson<double, std::int64_t>(50);
  EXPECT_EQ(peak_bytes(narrow) - peak_bytes(wide), 8 * (wide.rows + 1));
}

/// A setup that fails, and after it a setup that does not.
void expect_setup_failure(const Matrix& bad, Status status) {
  Solver<double> solver(Options().set("solver.method", "cg"));
  EXPECT_EQ(status_thrown_by([&] { solver.setup(bad.view()); }), status);
  const Matrix good = poisson<double, std::int64_t>(10);
  const std::vector<double> b(static_cast<std::size_t>(good.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  EXPECT_EQ(status_thrown_by([&] { solver.solve(b, x); }), Status::bad_input) << "nothing was set up";
  EXPECT_EQ(nlohmann::json::parse(solver.report_json())["status"], "bad_input");
  solver.setup(good.view());
  EXPECT_EQ(solver.solve(b, x).status, Status::converged);
}

TEST(PublicApi, RefusesMatricesItIsNotForAndSurvives) {
  const Matrix good = poisson<double, std::int64_t>(10);
  Matrix bad = good;
  bad.values[3] = std::numeric_limits<double>::quiet_NaN();
  expect_setup_failure(bad, Status::bad_input);

  bad = good;
  bad.values[1] = 5.0;
  expect_setup_failure(bad, Status::bad_input);

  bad = good;
  bad.col_indices[0] = static_cast<std::int32_t>(bad.rows);
  expect_setup_failure(bad, Status::bad_input);

  bad = good;
  bad.row_offsets.pop_back();
  expect_setup_failure(bad, Status::bad_input);

  bad = good;
  bad.values.pop_back();
  expect_setup_failure(bad, Status::bad_input);

  bad = good;
  bad.rows = -1;
  expect_setup_failure(bad, Status::bad_input);

  bad = good;
  bad.values[0] = -bad.values[0];
  expect_setup_failure(bad, Status::breakdown);
}

TEST(PublicApi, RefusesVectorsThatDoNotFitAndSurvives) {
  const Matrix A = poisson<double, std::int64_t>(10);
  std::vector<double> b(100, 1.0);
  std::vector<double> x(100, 0.0);
  Solver<double> solver;
  EXPECT_EQ(status_thrown_by([&] { solver.solve(b, x); }), Status::bad_input);
  solver.setup(A.view());
  EXPECT_EQ(status_thrown_by([&] { solver.solve(std::span(b).first(99), x); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.solve(b, std::span(x).first(99)); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.solve(b, x, 2); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.solve(b, x, 0); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.solve(b, x, 3); }), Status::bad_input);
  b[7] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(status_thrown_by([&] { solver.solve(b, x); }), Status::bad_input);
  b[7] = 1.0;
  std::ranges::fill(x, 0.0);
  EXPECT_EQ(solver.solve(b, x).status, Status::converged);
}

TEST(PublicApi, NonConvergenceIsAResult) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  Options options;
  options.set("solver.max_iterations", 2).set("amg.coarse_size", 50);
  Solver<double> solver(options);
  solver.setup(A.view());
  const Result result = solver.solve(b, x);
  EXPECT_EQ(result.status, Status::not_converged);
  EXPECT_EQ(result.iterations, 2);
  EXPECT_THAT(solver.report(), HasSubstr(result.message));
}

TEST(PublicApi, BAndXMustBeApart) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const auto n = static_cast<std::size_t>(A.rows);
  std::vector<double> v(2 * n, 1.0);
  Solver<double> solver;
  solver.setup(A.view());
  const std::span<double> all(v);
  EXPECT_EQ(status_thrown_by([&] { solver.solve(all.first(n), all.first(n)); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.solve(all.first(n), all.subspan(1, n)); }), Status::bad_input);
  EXPECT_EQ(status_thrown_by([&] { solver.solve(all.subspan(1, n), all.first(n)); }), Status::bad_input);
  EXPECT_EQ(solver.solve(all.first(n), all.last(n)).status, Status::converged);
}

TYPED_TEST(PublicSolver, ItsDefaultsConvergeOrSayWhy) {
  using T = typename TypeParam::Value;
  const auto A = poisson<T, typename TypeParam::Offset>(200);
  const std::vector<T> b(static_cast<std::size_t>(A.rows), T{1});
  std::vector<T> x(b.size(), T{0});
  Solver<T> solver;
  solver.setup(A.view());
  const Result result = solver.solve(b, x);
  EXPECT_EQ(result.status, Status::converged) << result.message;
  EXPECT_LE(result.backward_error, 1e-6);
  EXPECT_THAT(solver.report_json(), HasSubstr("\"warnings\": []"));
}

TEST(PublicApi, WhatLargeRowsMayHideIsToldWhereThereAreAny) {
  for (const bool has_large_row : {false, true}) {
    Matrix A = poisson<double, std::int64_t>(40);
    std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
    if (has_large_row) {
      A.values[0] += 1e9;  // sets x_0 to 1
      b[0] += 1e9;
    }
    std::vector<double> x(b.size(), 0.0);
    Solver<double> solver;
    solver.setup(A.view());
    const Result result = solver.solve(b, x);
    EXPECT_EQ(result.status, Status::converged) << result.message;
    EXPECT_EQ(result.jacobi_change.has_value(), has_large_row);
    EXPECT_LE(result.jacobi_change.value_or(0.0), 1e-5) << "a thousand tolerances";
    const std::string text = has_large_row ? "\"jacobi_change\": " : "\"jacobi_change\": null";
    EXPECT_THAT(solver.report_json(), HasSubstr(text));
    EXPECT_EQ(solver.report_json().find("\"jacobi_change\": null") == std::string::npos, has_large_row);
  }
}

TEST(PublicApi, AToleranceBelowRoundingIsWarnedOfAtOnce) {
  for (const char* stopping : {"attainable", "strict"}) {
    const Matrix A = poisson<double, std::int64_t>(40);
    const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
    std::vector<double> x(b.size(), 0.0);
    Options options;
    options.set("solver.tolerance", 1e-17).set("solver.stopping", stopping);
    Solver<double> solver(options);
    EXPECT_THAT(solver.report_json(), HasSubstr("'solver.tolerance' is 1e-17"));
    solver.setup(A.view());
    const Result result = solver.solve(b, x);
    const bool is_strict = std::string_view(stopping) == "strict";
    EXPECT_EQ(result.status, is_strict ? Status::not_converged : Status::converged) << result.message;
    EXPECT_LE(result.backward_error, 1e-15);
  }
}

TEST(PublicApi, AnIndefiniteMatrixIsABreakdown) {
  // Positive diagonal, eigenvalues 1 ± 2; no coarse level to factor.
  Matrix A;
  A.rows = 2;
  A.row_offsets = {0, 2, 4};
  A.col_indices = {0, 1, 0, 1};
  A.values = {1.0, 2.0, 2.0, 1.0};
  const std::vector<double> b = {1.0, -0.5};
  std::vector<double> x(2, 0.0);
  Solver<double> solver;
  Status status = Status::converged;
  try {
    solver.setup(A.view());
    status = solver.solve(b, x).status;
  } catch (const Exception& error) {
    status = error.status();
  }
  EXPECT_EQ(status, Status::breakdown);
}

TEST(PublicApi, OptionsThatCannotBeHadAreRefused) {
  Options contradictory;
  contradictory.set("amg.pre_sweeps", 0).set("amg.post_sweeps", 0);
  EXPECT_EQ(status_thrown_by([&] { Solver<double> solver(contradictory); }), Status::bad_configuration);
  Options cuda;
  cuda.set("solver.backend", "cuda").set("solver.device", device_count());
  EXPECT_EQ(status_thrown_by([&] { Solver<float> solver(cuda); }), Status::device_failed) << "there is no such device";
}

TEST(PublicApi, TheMemoryLimitIsKept) {
  const Matrix A = poisson<double, std::int64_t>(60);
  Options options;
  options.set("solver.memory_limit", 100'000);
  Solver<double> solver(options);
  EXPECT_EQ(status_thrown_by([&] { solver.setup(A.view()); }), Status::out_of_memory);
  EXPECT_EQ(status_thrown_by([&] { solver.setup(A.view()); }), Status::out_of_memory);
  const auto json = nlohmann::json::parse(solver.report_json());
  EXPECT_EQ(json["status"], "out_of_memory");
  EXPECT_EQ(json["problem"]["rows"], A.rows);
}

/// The iterate after a solve on two threads of the host.
std::vector<double> solution_of_own_solver(const Matrix& A) {
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  Solver<double> solver(Options().set("solver.backend", "host").set("solver.threads", 2).set("amg.coarse_size", 50));
  solver.setup(A.view());
  EXPECT_EQ(solver.solve(b, x).status, Status::converged);
  return x;
}

TEST(PublicApi, SolversWorkAtOnceInThreadsOfTheProgram) {
  const Matrix A = poisson<double, std::int64_t>(100);
  const std::vector<double> expected = solution_of_own_solver(A);
  std::vector<std::vector<double>> solutions(2);
  std::vector<std::thread> threads;
  for (std::vector<double>& x : solutions) {
    threads.emplace_back([&A, &x] { x = solution_of_own_solver(A); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(std::ranges::count(solutions, expected), 2);
}

// Threads of musl have 128 KiB; a thread of a program may have less than the main one.
TEST(PublicApi, SolversWorkInAThreadOfLittleStack) {
  constexpr std::size_t stack_bytes = AMGSOLVE_HAS_LIMITS ? 128 << 10 : 1 << 20;  // frames are larger under sanitizers
  const auto solve = [](void*) -> void* {
    for (const bool is_symmetric : {true, false}) {
      Matrix A = poisson<double, std::int64_t>(30);
      if (!is_symmetric) {
        A.values[1] *= 0.5;
      }
      const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
      std::vector<double> x(b.size(), 0.0);
      for (const int coarse_size : {50, 1000}) {  // and directly
        Solver<double> solver(Options().set("solver.backend", "host").set("amg.coarse_size", coarse_size));
        solver.setup(A.view());
        EXPECT_EQ(solver.solve(b, x).status, Status::converged);
      }
    }
    return nullptr;
  };
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack_bytes), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, solve, nullptr), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_EQ(pthread_attr_destroy(&attributes), 0);
}

TEST(PublicApi, SolversWorkAtOnceInAParallelRegionOfTheProgram) {
  const Matrix A = poisson<double, std::int64_t>(100);
  const std::vector<double> expected = solution_of_own_solver(A);
  std::vector<std::vector<double>> solutions(8);
#pragma omp parallel for num_threads(8) schedule(static, 1)
  for (std::size_t i = 0; i < 8; ++i) {
    solutions[i] = solution_of_own_solver(A);
  }
  EXPECT_EQ(std::ranges::count(solutions, expected), 8);
}

TEST(PublicApi, ReportsAsTablesAndAsJson) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  Options options;
  options.set("amg.coarse_size", 50).set("solver.threads", 1).set("solver.backend", "host");
  Solver<double> solver(options);
  solver.setup(A.view());
  const Result result = solver.solve(b, x);
  const std::string text = solver.report();
  EXPECT_THAT(text, HasSubstr("operator complexity"));
  EXPECT_THAT(text, HasSubstr("galerkin product"));
  EXPECT_THAT(text, HasSubstr("1 thread"));
  const auto json = nlohmann::json::parse(solver.report_json());
  EXPECT_EQ(json["iterations"], result.iterations);
  EXPECT_EQ(json["relative_residual"], result.relative_residual);
  EXPECT_EQ(json["levels"][0]["rows"], A.rows);
  EXPECT_EQ(json["configuration"]["amg"]["coarse_size"], 50);
  EXPECT_EQ(json["build"]["version"], version());
}

TEST(PublicApi, ReportsTellWhatAutoChose) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const auto report_of = [&](const Options& options) {
    Solver<double> solver(options);
    solver.setup(A.view());
    return solver.report_json();
  };
  const auto small = [] { return small_options().set("solver.backend", "host"); };
  EXPECT_THAT(report_of(small()), HasSubstr("levels in float, smoothed by chebyshev\""));
  EXPECT_THAT(report_of(small().set("solver.method", "gmres")), HasSubstr("levels in double, smoothed by"));
  EXPECT_THAT(report_of(small().set("amg.smoother.type", "gauss_seidel")), HasSubstr("smoothed by gauss_seidel\""));
}

TEST(PublicApi, TheOutcomeOfASolveGoesWithItsValues) {
  const Matrix A = poisson<double, std::int64_t>(40);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  Solver<double> solver(Options().set("solver.max_iterations", 1));
  const auto expect_none = [&] {
    const auto json = nlohmann::json::parse(solver.report_json());
    EXPECT_EQ(json["status"], nullptr);
    EXPECT_EQ(json["message"], "");
    EXPECT_EQ(json["iterations"], nullptr);
  };
  solver.setup(A.view());
  EXPECT_EQ(solver.solve(b, x).status, Status::not_converged);
  EXPECT_EQ(nlohmann::json::parse(solver.report_json())["status"], "not_converged");
  solver.update_values(A.view());
  expect_none();
  Matrix spoiled = A;
  spoiled.values[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(status_thrown_by([&] { solver.update_values(spoiled.view()); }), Status::bad_input);
  EXPECT_EQ(nlohmann::json::parse(solver.report_json())["status"], "bad_input");
  solver.update_values(A.view());
  expect_none();
}

TEST(PublicApi, CopiesAMatrixThatWillGo) {
  const Matrix A = poisson<double, std::int64_t>(20);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  std::vector<double> y(b.size(), 0.0);
  Solver<double> solver;
  solver.setup(A.view());
  solver.solve(b, x);
  {
    Matrix temporary = A;
    CsrView<double, std::int64_t> view = temporary.view();
    view.ownership = Ownership::copy;
    solver.setup(view);
    std::ranges::fill(temporary.values, 0.0);
    std::ranges::fill(temporary.row_offsets, 0);
  }
  solver.solve(b, y);
  EXPECT_EQ(x, y);
}

TEST(PublicApi, TheHostTakesNoDeviceMemory) {
  const Matrix A = poisson<double, std::int64_t>(10);
  Options options;
  options.set("solver.backend", "host");
  Solver<double> solver(options);
  CsrView<double, std::int64_t> view = A.view();
  view.memory = MemoryKind::device;
  EXPECT_EQ(status_thrown_by([&] { solver.setup(view); }), Status::bad_input);
  solver.setup(A.view());
  const std::vector<double> b(100, 1.0);
  std::vector<double> x(100, 0.0);
  EXPECT_EQ(status_thrown_by([&] { solver.solve(b, x, 1, MemoryKind::device); }), Status::bad_input);
  EXPECT_EQ(solver.solve(b, x).status, Status::converged);
}

TEST(PublicApi, MovesLikeAValue) {
  const Matrix A = poisson<double, std::int64_t>(10);
  Solver<double> first;
  first.setup(A.view());
  Solver<double> second = std::move(first);
  const std::vector<double> b(100, 1.0);
  std::vector<double> x(100, 0.0);
  EXPECT_EQ(second.solve(b, x).status, Status::converged);
  Solver<double> third;
  third = std::move(second);
  std::vector<double> y(100, 0.0);
  EXPECT_EQ(third.solve(b, y).status, Status::converged);
  EXPECT_EQ(x, y);
  first = std::move(third);
  EXPECT_EQ(first.solve(b, y).status, Status::converged);
  static_assert(std::is_nothrow_move_constructible_v<Solver<double>>);
  static_assert(std::is_nothrow_move_assignable_v<Solver<double>>);
  static_assert(std::is_nothrow_move_constructible_v<Options>);
  static_assert(std::is_nothrow_move_assignable_v<Options>);
}

}  // namespace
}  // namespace amgsolve
