#include <amgsolve/amgsolve.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <amgsolve/amgsolve.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/application/command_line.hpp"
#include "src/application/exit_code.hpp"
#include "src/application/job.hpp"
#include "tests/faults/failing_allocations.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;
using faults::Fails;

/// Nothing is printed while it lives.
class Silence {
 public:
  Silence() {
    std::fflush(stdout);
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
    ::close(null);
  }
  ~Silence() {
    std::fflush(stdout);
    ::dup2(output_, STDOUT_FILENO);
    ::dup2(errors_, STDERR_FILENO);
    ::close(output_);
    ::close(errors_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int output_ = ::dup(STDOUT_FILENO);
  int errors_ = ::dup(STDERR_FILENO);
};

/// Runs the body with each of its allocations failing in turn, and calls check(n) after each; the first run of all,
/// without any, makes what is made once. Returns how many allocations there are.
std::int64_t fail_each(Fails fails, const std::function<void()>& body, const std::function<void(std::int64_t)>& check) {
  body();
  for (std::int64_t n = 1;; ++n) {
    const std::int64_t before = faults::live_blocks();
    faults::arm(n, fails);
    body();
    const std::int64_t allocations = faults::disarm();
    if (allocations < n) {
      return allocations;
    }
    EXPECT_EQ(faults::live_blocks(), before) << "leaks where allocation " << n << " fails";
    check(n);
    if (testing::Test::HasFailure()) {
      return n;
    }
  }
}

class EachAllocationFails : public testing::TestWithParam<Fails> {
 protected:
  reference::TemporaryDirectory directory_;
};

INSTANTIATE_TEST_SUITE_P(Host, EachAllocationFails, testing::Values(Fails::once, Fails::from_then_on),
                         [](const auto& kind) { return kind.param == Fails::once ? "Once" : "FromThenOn"; });

/// A job ends with exit code 4, or does without; files are whole or not there. Its command line and file were read
/// before: see InTheWholeProcess.
TEST_P(EachAllocationFails, InAJob) {
  const std::string problem = directory_.write("p.yaml",
                                               "problem: {generate: {grid: [10, 10]}, rhs: random}\n"
                                               "solver: {backend: host, threads: 2}\n"
                                               "amg: {coarse_size: 20}\n"
                                               "output: {report: r.json, solution: x.npy}\n");
  const fs::path report = directory_.path() / "r.json";
  const fs::path solution = directory_.path() / "x.npy";
  const std::vector<const char*> arguments = {"amgsolve", problem.c_str(), "--set", "amg.cycle=W"};
  const auto solve = [&](const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity, Task) {
    int exit_code = -1;
    const auto body = [&] {
      fs::remove(report);
      fs::remove(solution);
      const Silence silence;
      exit_code = guard([&] { return run_job(configuration, schema, verbosity, {}); });
    };
    const std::int64_t allocations = fail_each(GetParam(), body, [&](std::int64_t n) {
      // Streams keep an allocation that fails for themselves; what they would have told of the machine is then missing.
      const bool made_good = exit_code == 0 && fs::exists(report) && fs::exists(solution);
      EXPECT_TRUE(exit_code == 4 || made_good) << "exit code " << exit_code << " where allocation " << n << " fails";
      for (const auto& file : fs::directory_iterator(directory_.path())) {
        EXPECT_THAT(file.path().filename().string(), testing::AnyOf("p.yaml", "r.json", "x.npy"))
            << "is left where allocation " << n << " fails";
      }
      if (fs::exists(report)) {
        EXPECT_TRUE(nlohmann::json::accept(reference::bytes_of_file(report))) << "where allocation " << n << " fails";
      }
    });
    EXPECT_GT(allocations, 500);
    return exit_code;
  };
  EXPECT_EQ(run_command_line(static_cast<int>(arguments.size()), arguments.data(), solve), 0);
}

/// tridiag(−1, 2, −1).
struct Tridiagonal {
  static constexpr std::int32_t n = 100;
  std::vector<std::int32_t> row_offsets = {0};
  std::vector<std::int32_t> col_indices;
  std::vector<double> values;

  Tridiagonal() {
    for (std::int32_t i = 0; i < n; ++i) {
      for (const std::int32_t j : {i - 1, i, i + 1}) {
        if (j >= 0 && j < n) {
          col_indices.push_back(j);
          values.push_back(i == j ? 2.0 : -1.0);
        }
      }
      row_offsets.push_back(static_cast<std::int32_t>(col_indices.size()));
    }
  }
};

/// The interface for C returns a status.
TEST_P(EachAllocationFails, InTheInterfaceForC) {
  const Tridiagonal matrix;
  const amgsolve_matrix A{matrix.n,
                          matrix.n,
                          static_cast<std::int64_t>(matrix.values.size()),
                          32,
                          matrix.row_offsets.data(),
                          matrix.col_indices.data(),
                          matrix.values.data(),
                          AMGSOLVE_HOST,
                          AMGSOLVE_COPY};
  const std::vector<double> b(matrix.n, 1.0);
  std::vector<double> x(matrix.n);
  std::vector<char> text(100000);
  amgsolve_status last = AMGSOLVE_INTERNAL_ERROR;
  const auto body = [&] {
    amgsolve_options* options = nullptr;
    amgsolve_solver* solver = nullptr;
    amgsolve_hierarchy hierarchy;
    amgsolve_level level;
    amgsolve_matrix P;
    const auto call = [&](amgsolve_status status) {
      last = status;
      return status == AMGSOLVE_CONVERGED;
    };
    const auto never = [](void*) { return 0; };
    const auto always = [](int, double, void*) { return 1; };
    if (call(amgsolve_options_create(&options)) && call(amgsolve_options_set(options, "solver.backend", "host")) &&
        call(amgsolve_options_set_integer(options, "amg.coarse_size", 20)) &&
        call(amgsolve_options_get(options, "solver.tolerance", text.data(), text.size(), nullptr)) &&
        call(amgsolve_create(AMGSOLVE_DOUBLE, options, nullptr, &solver)) &&
        call(amgsolve_stop_when(solver, never, nullptr)) && call(amgsolve_on_iteration(solver, always, nullptr)) &&
        call(amgsolve_setup(solver, &A, b.data(), 1)) &&
        call(amgsolve_solve(solver, matrix.n, b.data(), x.data(), nullptr, nullptr)) &&
        call(amgsolve_precondition(solver, matrix.n, b.data(), x.data(), 1, AMGSOLVE_HOST)) &&
        call(amgsolve_get_hierarchy(solver, &hierarchy)) && call(amgsolve_get_level(solver, 0, &level)) &&
        call(amgsolve_get_level_matrix(solver, 0, AMGSOLVE_P, &P))) {
      call(amgsolve_report(solver, text.data(), text.size(), nullptr));
    }
    amgsolve_destroy(solver);
    amgsolve_options_destroy(options);
  };
  const std::int64_t allocations = fail_each(GetParam(), body, [&](std::int64_t k) {
    EXPECT_TRUE(last == AMGSOLVE_CONVERGED || last == AMGSOLVE_OUT_OF_MEMORY)
        << "where allocation " << k << " fails: " << amgsolve_last_error();
  });
  EXPECT_EQ(last, AMGSOLVE_CONVERGED);
  EXPECT_GT(allocations, 300);
}

/// The library throws, or does without, and works on.
TEST_P(EachAllocationFails, InTheLibrary) {
  const Tridiagonal matrix;
  const CsrView<double, std::int32_t> A{.rows = matrix.n,
                                        .cols = matrix.n,
                                        .row_offsets = matrix.row_offsets,
                                        .col_indices = matrix.col_indices,
                                        .values = matrix.values};
  const std::vector<double> b(matrix.n, 1.0);
  std::vector<double> x(matrix.n);
  std::optional<Status> status;
  const auto body = [&] {
    try {
      Options options;
      options.set("solver.backend", "host");
      options.set("solver.reuse", "pattern");
      options.set("amg.coarse_size", "20");
      Solver<double> solver(options);
      solver.setup(A);
      solver.update_values(A);
      status = solver.solve(b, x).status;
      solver.precondition(b, x);
      solver.hierarchy();
      solver.level_matrix(0, LevelMatrix::P);
      solver.report_json();
    } catch (const Exception& error) {
      status = error.status();
    } catch (const std::bad_alloc&) {
      status = Status::out_of_memory;
    }
  };
  const std::int64_t allocations = fail_each(GetParam(), body, [&](std::int64_t k) {
    EXPECT_THAT(*status, testing::AnyOf(Status::out_of_memory, Status::converged))
        << "where allocation " << k << " fails";
  });
  EXPECT_EQ(*status, Status::converged);
  EXPECT_GT(allocations, 300);
}

/// Before main(), too, where static objects of the command and its libraries are made: the first allocations; and where
/// the command line and the file are read, whose libraries let nothing out of some functions. Some of those will do.
TEST_P(EachAllocationFails, InTheWholeProcess) {
  constexpr int first_allocations = 100;
  const std::string problem = directory_.write("p.yaml", "problem: {generate: {grid: [10, 10]}}\n");
  const std::string output = (directory_.path() / "out").string();
  // Behind the last allocation; some that fail are made good.
  constexpr int most_in_a_row_made_good = 20;
  int made_good = 0;
  int n = 1;
  for (; made_good <= most_in_a_row_made_good; n += n < first_allocations ? 1 : 30) {
    // A policy, so that the command need not start itself again to set one.
    const std::string command = "OMP_WAIT_POLICY=passive AMGSOLVE_FAIL_ALLOCATION=" + std::to_string(n) +
                                (GetParam() == Fails::once ? " " : "+ ") + AMGSOLVE_FAILING_COMMAND + " '" + problem +
                                "' --set amg.cycle=W --print-config > '" + output + "' 2>&1";
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status)) << "allocation " << n;
    if (WEXITSTATUS(status) == 0) {
      ++made_good;
      continue;
    }
    made_good = 0;
    // Static objects of the CUDA libraries, which end the process their own way.
    if (AMGSOLVE_HAVE_CUDA && n < first_allocations &&
        reference::bytes_of_file(output).starts_with("terminate called without an active exception")) {
      continue;
    }
    ASSERT_EQ(WEXITSTATUS(status), 4) << "allocation " << n;
    EXPECT_EQ(reference::bytes_of_file(output), "amgsolve: out of host memory\n");
  }
  EXPECT_GT(n, 1000);
}

}  // namespace
}  // namespace amgsolve
