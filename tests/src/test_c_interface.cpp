#include <amgsolve/amgsolve.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <amgsolve/amgsolve.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/src/own_matrix.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;

struct Destroy {
  void operator()(amgsolve_solver* solver) const { amgsolve_destroy(solver); }
  void operator()(amgsolve_options* options) const { amgsolve_options_destroy(options); }
};
using SolverHandle = std::unique_ptr<amgsolve_solver, Destroy>;
using OptionsHandle = std::unique_ptr<amgsolve_options, Destroy>;

OptionsHandle options() {
  amgsolve_options* handle = nullptr;
  EXPECT_EQ(amgsolve_options_create(&handle), AMGSOLVE_CONVERGED);
  EXPECT_EQ(amgsolve_options_set_integer(handle, "amg.coarse_size", 50), AMGSOLVE_CONVERGED);
  EXPECT_EQ(amgsolve_options_set(handle, "solver.backend", "host"), AMGSOLVE_CONVERGED);
  EXPECT_EQ(amgsolve_options_set_real(handle, "solver.tolerance", 1e-4), AMGSOLVE_CONVERGED);
  return OptionsHandle(handle);
}

SolverHandle solver(amgsolve_precision precision = AMGSOLVE_DOUBLE) {
  amgsolve_solver* handle = nullptr;
  EXPECT_EQ(amgsolve_create(precision, options().get(), nullptr, &handle), AMGSOLVE_CONVERGED) << amgsolve_last_error();
  return SolverHandle(handle);
}

template <class T, class Offset>
amgsolve_matrix view(const OwnMatrix<T, Offset>& A) {
  return {A.rows,
          A.rows,
          static_cast<std::int64_t>(A.values.size()),
          8 * static_cast<int>(sizeof(Offset)),
          A.row_offsets.data(),
          A.col_indices.data(),
          A.values.data(),
          AMGSOLVE_HOST,
          AMGSOLVE_BORROW};
}

/// The text that call(text, capacity, length) hands over.
std::string text_of(const std::function<amgsolve_status(char*, std::size_t, std::size_t*)>& call) {
  std::size_t length = 0;
  EXPECT_EQ(call(nullptr, 0, &length), AMGSOLVE_CONVERGED);
  std::string text(length + 1, 'x');
  EXPECT_EQ(call(text.data(), text.size(), nullptr), AMGSOLVE_CONVERGED);
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  char part[4] = "xyz";
  EXPECT_EQ(call(part, sizeof(part), &length), AMGSOLVE_CONVERGED);
  EXPECT_EQ(length, text.size());
  EXPECT_EQ(part, text.substr(0, 3));
  return text;
}

template <class A>
class CInterface : public testing::Test {};
template <class V, class O>
struct Arrays {
  using Value = V;
  using Offset = O;
};
using ArrayTypes = testing::Types<Arrays<float, std::int32_t>, Arrays<float, std::int64_t>,
                                  Arrays<double, std::int32_t>, Arrays<double, std::int64_t>>;
TYPED_TEST_SUITE(CInterface, ArrayTypes);

TYPED_TEST(CInterface, DoesWhatTheClassDoes) {
  using T = typename TypeParam::Value;
  const auto A = poisson<T, typename TypeParam::Offset>(40);
  const std::vector<T> b(static_cast<std::size_t>(2 * A.rows), T{1});
  // Other than the constant, which is the default.
  std::vector<T> near_nullspace(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < near_nullspace.size(); ++i) {
    near_nullspace[i] = T{1} + static_cast<T>(i % 40) / T{80};
  }
  Solver<T> expected_solver(
      Options().set("amg.coarse_size", 50).set("solver.backend", "host").set("solver.tolerance", 1e-4));
  expected_solver.setup(A.view(), near_nullspace);
  std::vector<T> expected(b.size(), T{0});
  const Result expected_result = expected_solver.solve(b, expected, 2);

  const SolverHandle handle = solver(std::is_same_v<T, float> ? AMGSOLVE_FLOAT : AMGSOLVE_DOUBLE);
  const amgsolve_matrix matrix = view(A);
  ASSERT_EQ(amgsolve_setup(handle.get(), &matrix, near_nullspace.data(), 1), AMGSOLVE_CONVERGED)
      << amgsolve_last_error();
  std::vector<T> x(b.size(), T{0});
  amgsolve_settings settings;
  amgsolve_settings_init(&settings);
  settings.columns = 2;
  amgsolve_result result;
  ASSERT_EQ(amgsolve_solve(handle.get(), A.rows, b.data(), x.data(), &settings, &result), AMGSOLVE_CONVERGED);
  EXPECT_EQ(x, expected);
  EXPECT_EQ(result.status, AMGSOLVE_CONVERGED);
  EXPECT_EQ(result.iterations, expected_result.iterations);
  EXPECT_EQ(result.relative_residual, expected_result.relative_residual);
  EXPECT_EQ(result.backward_error, expected_result.backward_error);
  EXPECT_FALSE(expected_result.jacobi_change);
  EXPECT_TRUE(std::isnan(result.jacobi_change)) << "of rows of a size";
  EXPECT_EQ(result.outside_range, expected_result.outside_range);
  EXPECT_EQ(result.convergence_factor, expected_result.convergence_factor);
  std::size_t length = 0;
  ASSERT_EQ(amgsolve_residual_history(handle.get(), nullptr, 0, &length), AMGSOLVE_CONVERGED);
  std::vector<double> history(length);
  ASSERT_EQ(amgsolve_residual_history(handle.get(), history.data(), length, nullptr), AMGSOLVE_CONVERGED);
  EXPECT_EQ(history, expected_result.residual_history);

  ASSERT_EQ(amgsolve_solve(handle.get(), A.rows, b.data(), x.data(), &settings, &result), AMGSOLVE_CONVERGED);
  EXPECT_EQ(result.iterations, 0) << "from the solution";
  EXPECT_TRUE(std::isnan(result.convergence_factor)) << "of no iteration";

  expected_solver.precondition(b, expected, 2);
  ASSERT_EQ(amgsolve_precondition(handle.get(), A.rows, b.data(), x.data(), 2, AMGSOLVE_HOST), AMGSOLVE_CONVERGED);
  amgsolve_solver* sharing = nullptr;
  std::vector<T> z(x.size());
  ASSERT_EQ(amgsolve_share(handle.get(), 1, nullptr, &sharing), AMGSOLVE_CONVERGED);
  ASSERT_EQ(amgsolve_precondition(sharing, A.rows, b.data(), z.data(), 2, AMGSOLVE_HOST), AMGSOLVE_CONVERGED);
  amgsolve_destroy(sharing);
  EXPECT_EQ(z, x);
  EXPECT_EQ(x, expected);

  const HierarchyStatistics statistics = expected_solver.hierarchy();
  amgsolve_hierarchy hierarchy;
  ASSERT_EQ(amgsolve_get_hierarchy(handle.get(), &hierarchy), AMGSOLVE_CONVERGED);
  EXPECT_EQ(hierarchy.levels, static_cast<int>(statistics.levels.size()));
  EXPECT_EQ(hierarchy.operator_complexity, statistics.operator_complexity);
  EXPECT_EQ(hierarchy.grid_complexity, statistics.grid_complexity);
  EXPECT_GT(statistics.levels[0].mean_aggregate_size, 0.0);
  EXPECT_GT(statistics.levels[0].strength_threshold, 0.0);
  for (int l = 0; l < hierarchy.levels; ++l) {
    const LevelStatistics& expected_level = statistics.levels[static_cast<std::size_t>(l)];
    amgsolve_level level;
    ASSERT_EQ(amgsolve_get_level(handle.get(), l, &level), AMGSOLVE_CONVERGED);
    EXPECT_EQ(level.rows, expected_level.rows);
    EXPECT_EQ(level.nonzeros, expected_level.nonzeros);
    EXPECT_EQ(level.bytes, expected_level.bytes);
    EXPECT_EQ(level.aggregates, expected_level.aggregates);
    EXPECT_EQ(level.mean_aggregate_size, expected_level.mean_aggregate_size);
    EXPECT_EQ(level.strength_threshold, expected_level.strength_threshold);
    EXPECT_EQ(level.spectral_radius, expected_level.spectral_radius);
  }
  for (const auto& [part, of_class] : {std::pair(AMGSOLVE_A, LevelMatrix::A), std::pair(AMGSOLVE_P, LevelMatrix::P),
                                       std::pair(AMGSOLVE_R, LevelMatrix::R)}) {
    const CsrArrays<T> arrays = expected_solver.level_matrix(0, of_class);
    amgsolve_matrix out;
    ASSERT_EQ(amgsolve_get_level_matrix(handle.get(), 0, part, &out), AMGSOLVE_CONVERGED);
    EXPECT_EQ(out.rows, arrays.rows);
    EXPECT_EQ(out.cols, arrays.cols);
    ASSERT_EQ(out.nonzeros, static_cast<std::int64_t>(arrays.values.size()));
    ASSERT_EQ(out.offset_bits, 64);
    EXPECT_TRUE(std::ranges::equal(arrays.values, std::span(static_cast<const T*>(out.values), arrays.values.size())));
    EXPECT_TRUE(std::ranges::equal(arrays.col_indices, std::span(out.col_indices, arrays.col_indices.size())));
    EXPECT_TRUE(std::ranges::equal(
        arrays.row_offsets, std::span(static_cast<const std::int64_t*>(out.row_offsets), arrays.row_offsets.size())));
  }
}

class COfDouble : public testing::Test {
 protected:
  COfDouble() {
    const amgsolve_matrix matrix = view(A_);
    EXPECT_EQ(amgsolve_setup(solver_.get(), &matrix, nullptr, 0), AMGSOLVE_CONVERGED) << amgsolve_last_error();
    amgsolve_settings_init(&settings_);
  }

  amgsolve_status solve() {
    std::ranges::fill(x_, 0.0);
    return amgsolve_solve(solver_.get(), A_.rows, b_.data(), x_.data(), &settings_, &result_);
  }

  OwnMatrix<double, std::int32_t> A_ = poisson<double, std::int32_t>(30);
  std::vector<double> b_ = std::vector<double>(900, 1.0);
  std::vector<double> x_ = std::vector<double>(900, 0.0);
  SolverHandle solver_ = solver();
  amgsolve_settings settings_{};
  amgsolve_result result_{};
};

TEST_F(COfDouble, NullSettingsAreTheDefaults) {
  ASSERT_EQ(solve(), AMGSOLVE_CONVERGED);
  std::vector<double> y(x_.size(), 0.0);
  EXPECT_EQ(amgsolve_solve(solver_.get(), A_.rows, b_.data(), y.data(), nullptr, nullptr), AMGSOLVE_CONVERGED);
  EXPECT_EQ(x_, y);
}

TEST_F(COfDouble, SettingsAreOfOneSolve) {
  settings_.max_iterations = 2;
  EXPECT_EQ(solve(), AMGSOLVE_NOT_CONVERGED);
  EXPECT_EQ(result_.status, AMGSOLVE_NOT_CONVERGED);
  EXPECT_EQ(result_.iterations, 2);
  const std::string message = text_of([&](auto... arguments) { return amgsolve_message(solver_.get(), arguments...); });
  EXPECT_THAT(message, HasSubstr("not converged"));
  EXPECT_EQ(amgsolve_last_error(), message);
  settings_.max_iterations = -1;
  settings_.tolerance = 0.1;
  EXPECT_EQ(solve(), AMGSOLVE_CONVERGED);
  EXPECT_GT(result_.relative_residual, 1e-4);
  for (const double tolerance : {1.0, std::numeric_limits<double>::quiet_NaN()}) {
    settings_.tolerance = tolerance;
    EXPECT_EQ(solve(), AMGSOLVE_BAD_CONFIGURATION);
    EXPECT_EQ(result_.status, AMGSOLVE_BAD_CONFIGURATION);
    EXPECT_TRUE(std::isnan(result_.relative_residual));
    EXPECT_THAT(amgsolve_last_error(), HasSubstr("'solver.tolerance'"));
  }
}

TEST(CInterface, CutsALongMessageOffBetweenCharacters) {
  for (int shift = 0; shift < 4; ++shift) {
    std::string value(static_cast<std::size_t>(shift), 'x');
    for (int i = 0; i < 1000; ++i) {
      value += "é€";
    }
    EXPECT_EQ(amgsolve_options_set(options().get(), "solver.tolerance", value.c_str()), AMGSOLVE_BAD_CONFIGURATION);
    const std::string message = amgsolve_last_error();
    EXPECT_GE(message.size(), 1021U);
    EXPECT_LE(message.size(), 1023U);
    const std::string last = message.substr(message.size() - 3);
    EXPECT_TRUE(last == "€" || last.substr(1) == "é") << last;
  }
}

/// Whose ends are no addresses.
TEST_F(COfDouble, SizesThatNoArrayHasAreRefused) {
  std::vector<double> b(1);
  std::vector<double> x(1);
  settings_.columns = std::numeric_limits<std::int32_t>::max();
  const std::int64_t rows = std::numeric_limits<std::int32_t>::max();
  for (const bool is_b_first : {false, true}) {
    EXPECT_EQ(amgsolve_solve(solver_.get(), rows, is_b_first ? b.data() : x.data(), is_b_first ? x.data() : b.data(),
                             &settings_, &result_),
              AMGSOLVE_BAD_INPUT);
    EXPECT_THAT(amgsolve_last_error(), HasSubstr("share memory"));
  }
}

TEST_F(COfDouble, CallsBackWithTheCallersPointer) {
  settings_.user = &A_;
  settings_.product = [](const void* x, void* y, int columns, void* stream, void* user) {
    EXPECT_EQ(columns, 1);
    EXPECT_EQ(stream, nullptr);
    const auto& A = *static_cast<const OwnMatrix<double, std::int32_t>*>(user);
    std::ranges::copy(naive_product(A, static_cast<const double*>(x)), static_cast<double*>(y));
  };
  int calls = 0;
  ASSERT_EQ(amgsolve_on_iteration(
                solver_.get(),
                [](int iterations, double, void* user) {
                  EXPECT_EQ(iterations, ++*static_cast<int*>(user));
                  return 1;
                },
                &calls),
            AMGSOLVE_CONVERGED);
  EXPECT_EQ(solve(), AMGSOLVE_CONVERGED);
  EXPECT_EQ(calls, result_.iterations);
  EXPECT_LE(relative_residual(A_, b_, x_, 1, 0), 1.01e-4);

  ASSERT_EQ(amgsolve_on_iteration(
                solver_.get(), [](int iterations, double, void*) { return iterations < 2 ? 1 : 0; }, nullptr),
            AMGSOLVE_CONVERGED);
  EXPECT_EQ(solve(), AMGSOLVE_INTERRUPTED);
  EXPECT_EQ(result_.iterations, 2);
  ASSERT_EQ(amgsolve_on_iteration(solver_.get(), nullptr, nullptr), AMGSOLVE_CONVERGED);
  ASSERT_EQ(amgsolve_stop_when(
                solver_.get(), [](void*) { return 1; }, nullptr),
            AMGSOLVE_CONVERGED);
  EXPECT_EQ(solve(), AMGSOLVE_INTERRUPTED);
  ASSERT_EQ(amgsolve_stop_when(solver_.get(), nullptr, nullptr), AMGSOLVE_CONVERGED);
  EXPECT_EQ(solve(), AMGSOLVE_CONVERGED);
}

TEST_F(COfDouble, TakesNewValues) {
  std::ranges::for_each(A_.values, [](double& value) { value *= 2.0; });
  const amgsolve_matrix matrix = view(A_);
  ASSERT_EQ(amgsolve_update_values(solver_.get(), &matrix), AMGSOLVE_CONVERGED);
  ASSERT_EQ(solve(), AMGSOLVE_CONVERGED);
  EXPECT_LE(relative_residual(A_, b_, x_, 1, 0), 1.01e-4);
}

TEST_F(COfDouble, HandsTextsOver) {
  ASSERT_EQ(solve(), AMGSOLVE_CONVERGED);
  EXPECT_THAT(text_of([&](auto... arguments) { return amgsolve_report(solver_.get(), arguments...); }),
              HasSubstr("operator complexity"));
  EXPECT_THAT(text_of([&](auto... arguments) { return amgsolve_report_json(solver_.get(), arguments...); }),
              HasSubstr("\"iterations\""));
  const OptionsHandle all = options();
  EXPECT_EQ(
      text_of([&](auto... arguments) { return amgsolve_options_get(all.get(), "solver.tolerance", arguments...); }),
      "0.0001");
  EXPECT_EQ(amgsolve_version(), version());
  for (const Status status : {Status::converged, Status::internal_error, static_cast<Status>(8)}) {
    EXPECT_EQ(amgsolve_status_name(static_cast<amgsolve_status>(status)), name(status));
  }
}

TEST(CInterfaceErrors, OptionsAreRefusedByTheirKeys) {
  const OptionsHandle all = options();
  EXPECT_EQ(amgsolve_options_set(all.get(), "solver.toleranse", "1"), AMGSOLVE_BAD_CONFIGURATION);
  EXPECT_THAT(amgsolve_last_error(), HasSubstr("did you mean 'solver.tolerance'?"));
  EXPECT_EQ(amgsolve_options_set(all.get(), "toleranse", "1"), AMGSOLVE_BAD_CONFIGURATION);
  EXPECT_THAT(amgsolve_last_error(), HasSubstr("did you mean 'solver.tolerance'?"));
  EXPECT_EQ(amgsolve_options_set_real(all.get(), "solver.tolerance", 2.0), AMGSOLVE_BAD_CONFIGURATION);
  EXPECT_EQ(amgsolve_options_set_integer(all.get(), "solver.max_iterations", -2), AMGSOLVE_BAD_CONFIGURATION);
  char text[8];
  EXPECT_EQ(amgsolve_options_get(all.get(), "tolerance", text, sizeof(text), nullptr), AMGSOLVE_BAD_CONFIGURATION);
  EXPECT_EQ(amgsolve_options_set(all.get(), "amg.cycle", "F"), AMGSOLVE_CONVERGED);
  EXPECT_EQ(amgsolve_options_set(all.get(), "solver.method", "cg"), AMGSOLVE_CONVERGED);
  amgsolve_solver* handle = solver().release();
  amgsolve_destroy(handle);
  EXPECT_EQ(amgsolve_create(AMGSOLVE_DOUBLE, all.get(), nullptr, &handle), AMGSOLVE_BAD_CONFIGURATION);
  EXPECT_EQ(handle, nullptr);
}

TEST(CInterfaceErrors, SolversThatCannotShareAreNull) {
  const SolverHandle without_hierarchy = solver();
  for (amgsolve_solver* const of : {without_hierarchy.get(), static_cast<amgsolve_solver*>(nullptr)}) {
    amgsolve_solver* sharing = without_hierarchy.get();
    EXPECT_EQ(amgsolve_share(of, 1, nullptr, &sharing), AMGSOLVE_BAD_INPUT);
    EXPECT_EQ(sharing, nullptr);
  }
}

struct BadCall {
  const char* message;
  std::function<amgsolve_status()> call;
};

TEST_F(COfDouble, NullAndWrongSizesAreRefused) {
  const OptionsHandle all = options();
  amgsolve_solver* const good = solver_.get();
  amgsolve_options* no_options = nullptr;
  amgsolve_matrix out;
  amgsolve_level level;
  amgsolve_hierarchy hierarchy;
  const auto setup = [&](const std::function<void(amgsolve_matrix&)>& spoil) {
    amgsolve_matrix matrix = view(A_);
    spoil(matrix);
    return amgsolve_setup(good, &matrix, nullptr, 0);
  };
  const auto with = [&](const std::function<void(amgsolve_settings&)>& spoil) {
    amgsolve_settings settings;
    amgsolve_settings_init(&settings);
    spoil(settings);
    return amgsolve_solve(good, 900, b_.data(), x_.data(), &settings, nullptr);
  };
  const amgsolve_matrix matrix = view(A_);
  const std::vector<BadCall> calls = {
      {"options is NULL", [] { return amgsolve_options_create(nullptr); }},
      {"options is NULL", [&] { return amgsolve_options_set(no_options, "a", "b"); }},
      {"key is NULL", [&] { return amgsolve_options_set(all.get(), nullptr, "b"); }},
      {"value is NULL", [&] { return amgsolve_options_set(all.get(), "solver.tolerance", nullptr); }},
      {"key is NULL", [&] { return amgsolve_options_set_real(all.get(), nullptr, 1.0); }},
      {"key is NULL", [&] { return amgsolve_options_set_integer(all.get(), nullptr, 1); }},
      {"key is NULL", [&] { return amgsolve_options_get(all.get(), nullptr, nullptr, 0, nullptr); }},
      {"text is NULL", [&] { return amgsolve_options_get(all.get(), "solver.tolerance", nullptr, 1, nullptr); }},
      {"solver is NULL", [] { return amgsolve_create(AMGSOLVE_DOUBLE, nullptr, nullptr, nullptr); }},
      {"precision is 7",
       [&] {
         amgsolve_solver* made = good;
         const amgsolve_status status = amgsolve_create(7, nullptr, nullptr, &made);
         EXPECT_EQ(made, nullptr);
         return status;
       }},
      {"solver is NULL", [&] { return amgsolve_setup(nullptr, &matrix, nullptr, 0); }},
      {"A is NULL", [&] { return amgsolve_setup(good, nullptr, nullptr, 0); }},
      {"vectors is -1", [&] { return amgsolve_setup(good, &matrix, nullptr, -1); }},
      {"near_nullspace is NULL", [&] { return amgsolve_setup(good, &matrix, nullptr, 2); }},
      {"A.row_offsets is NULL", [&] { return setup([](amgsolve_matrix& A) { A.row_offsets = nullptr; }); }},
      {"A.col_indices is NULL", [&] { return setup([](amgsolve_matrix& A) { A.col_indices = nullptr; }); }},
      {"A.values is NULL", [&] { return setup([](amgsolve_matrix& A) { A.values = nullptr; }); }},
      {"A.offset_bits is 16", [&] { return setup([](amgsolve_matrix& A) { A.offset_bits = 16; }); }},
      {"A.rows is -1", [&] { return setup([](amgsolve_matrix& A) { A.rows = -1; }); }},
      {"not square", [&] { return setup([](amgsolve_matrix& A) { A.cols = 899; }); }},
      {"A.nonzeros is -5", [&] { return setup([](amgsolve_matrix& A) { A.nonzeros = -5; }); }},
      {"nonzeros is 9223372036854775807",
       [&] { return setup([](amgsolve_matrix& A) { A.nonzeros = std::numeric_limits<std::int64_t>::max(); }); }},
      {"4379", [&] { return setup([](amgsolve_matrix& A) { --A.nonzeros; }); }},
      {"memory is 5", [&] { return setup([](amgsolve_matrix& A) { A.memory = 5; }); }},
      {"device memory", [&] { return setup([](amgsolve_matrix& A) { A.memory = AMGSOLVE_DEVICE; }); }},
      {"ownership is 5", [&] { return setup([](amgsolve_matrix& A) { A.ownership = 5; }); }},
      {"there is no level", [&] { return setup([](amgsolve_matrix&) {}), amgsolve_get_level(good, -1, &level); }},
      {"there is no level", [&] { return amgsolve_get_level(good, 99, &level); }},
      {"statistics is NULL", [&] { return amgsolve_get_level(good, 0, nullptr); }},
      {"solver is NULL", [&] { return amgsolve_get_level(nullptr, 0, &level); }},
      {"hierarchy is NULL", [&] { return amgsolve_get_hierarchy(good, nullptr); }},
      {"solver is NULL", [&] { return amgsolve_get_hierarchy(nullptr, &hierarchy); }},
      {"matrix is NULL", [&] { return amgsolve_get_level_matrix(good, 0, AMGSOLVE_A, nullptr); }},
      {"there is no level", [&] { return amgsolve_get_level_matrix(good, 99, AMGSOLVE_A, &out); }},
      {"part is 9", [&] { return amgsolve_get_level_matrix(good, 0, 9, &out); }},
      {"solver is NULL", [&] { return amgsolve_update_values(nullptr, &matrix); }},
      {"A is NULL", [&] { return amgsolve_update_values(good, nullptr); }},
      {"solver is NULL", [&] { return amgsolve_solve(nullptr, 900, b_.data(), x_.data(), nullptr, nullptr); }},
      {"b is NULL", [&] { return amgsolve_solve(good, 900, nullptr, x_.data(), nullptr, nullptr); }},
      {"x is NULL", [&] { return amgsolve_solve(good, 900, b_.data(), nullptr, nullptr, nullptr); }},
      {"rows is -1", [&] { return amgsolve_solve(good, -1, b_.data(), x_.data(), nullptr, nullptr); }},
      {"rows is 4294967296",
       [&] { return amgsolve_solve(good, std::int64_t{1} << 32, b_.data(), x_.data(), nullptr, nullptr); }},
      {"b is 899 x 1", [&] { return amgsolve_solve(good, 899, b_.data(), x_.data(), nullptr, nullptr); }},
      {"columns is 0", [&] { return with([](amgsolve_settings& settings) { settings.columns = 0; }); }},
      {"memory is 9", [&] { return with([](amgsolve_settings& settings) { settings.memory = 9; }); }},
      {"b and x share", [&] { return amgsolve_solve(good, 900, x_.data(), x_.data(), nullptr, nullptr); }},
      {"solver is NULL", [&] { return amgsolve_precondition(nullptr, 900, b_.data(), x_.data(), 1, AMGSOLVE_HOST); }},
      {"r is NULL", [&] { return amgsolve_precondition(good, 900, nullptr, x_.data(), 1, AMGSOLVE_HOST); }},
      {"z is NULL", [&] { return amgsolve_precondition(good, 900, b_.data(), nullptr, 1, AMGSOLVE_HOST); }},
      {"columns is -1", [&] { return amgsolve_precondition(good, 900, b_.data(), x_.data(), -1, AMGSOLVE_HOST); }},
      {"solver is NULL", [&] { return amgsolve_share(nullptr, 1, nullptr, nullptr); }},
      {"sharing is NULL", [&] { return amgsolve_share(good, 1, nullptr, nullptr); }},
      {"solver is NULL", [] { return amgsolve_stop_when(nullptr, nullptr, nullptr); }},
      {"solver is NULL", [] { return amgsolve_on_iteration(nullptr, nullptr, nullptr); }},
      {"solver is NULL", [] { return amgsolve_message(nullptr, nullptr, 0, nullptr); }},
      {"solver is NULL", [] { return amgsolve_report(nullptr, nullptr, 0, nullptr); }},
      {"text is NULL", [&] { return amgsolve_report(good, nullptr, 8, nullptr); }},
      {"solver is NULL", [] { return amgsolve_report_json(nullptr, nullptr, 0, nullptr); }},
      {"solver is NULL", [] { return amgsolve_residual_history(nullptr, nullptr, 0, nullptr); }},
      {"values is NULL", [&] { return amgsolve_residual_history(good, nullptr, 3, nullptr); }},
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i].call(), AMGSOLVE_BAD_INPUT) << i << ": " << calls[i].message;
    EXPECT_THAT(amgsolve_last_error(), HasSubstr(calls[i].message)) << i;
  }
  amgsolve_destroy(nullptr);
  amgsolve_options_destroy(nullptr);
  amgsolve_settings_init(nullptr);
  ASSERT_EQ(amgsolve_setup(good, &matrix, nullptr, 0), AMGSOLVE_CONVERGED);
  EXPECT_EQ(solve(), AMGSOLVE_CONVERGED);
}

TEST(CInterfaceErrors, MessagesAreOfTheirThreadAndFit) {
  const OptionsHandle all = options();
  const std::string long_key(5000, 'k');
  EXPECT_EQ(amgsolve_options_set(all.get(), long_key.c_str(), "1"), AMGSOLVE_BAD_CONFIGURATION);
  EXPECT_EQ(std::string(amgsolve_last_error()).size(), 1023u);
}

}  // namespace
}  // namespace amgsolve
