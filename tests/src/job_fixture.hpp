#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "src/application/exit_code.hpp"
#include "src/application/job.hpp"
#include "src/application/job_schema.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {

/// A job on a 40 × 30 grid, on the host, that writes its files to a directory of its own.
class JobFixture : public testing::Test {
 protected:
  JobFixture() {
    configuration_.backend = Backend::host;
    configuration_.problem.generate = reference::poisson(reference::grid({40, 30}), Discretization::fd);
    configuration_.amg.coarse_size = 50;
    configuration_.output.report = file("report.json");
  }

  std::filesystem::path file(const std::string& name) const { return directory_.path() / name; }

  void solve_matrix(const std::string& text) {
    configuration_.problem.generate = ProblemConfiguration().generate;
    configuration_.problem.matrix = directory_.write("matrix.mtx", text);
  }

  /// Runs the job as the command does; returns the exit code.
  int run(Verbosity verbosity = Verbosity::normal, const std::function<bool()>& stop = {}) {
    return captured([&](const auto& configuration, const Schema& schema) {
      return run_job(configuration, schema, verbosity, stop);
    });
  }

  int dry_run() {
    return captured([](const auto& configuration, const Schema& schema) {
      return dry_run_job(configuration, schema, Verbosity::normal);
    });
  }

  template <class Job>
  int captured(const Job& job) {
    JobConfiguration configuration = configuration_;
    const Schema schema = job_schema(configuration);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int exit_code = guard([&] { return job(configuration, schema); });
    output_ = testing::internal::GetCapturedStdout();
    errors_ = testing::internal::GetCapturedStderr();
    return exit_code;
  }

  nlohmann::json report() const { return nlohmann::json::parse(reference::bytes_of_file(file("report.json"))); }

  reference::TemporaryDirectory directory_;
  JobConfiguration configuration_;
  std::string output_;
  std::string errors_;
};

}  // namespace amgsolve
