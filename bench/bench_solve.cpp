#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "amg/solver.hpp"
#include "bench/common.hpp"
#include "bench/hypre_solve.hpp"
#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "src/library/schema.hpp"

/// Whole solves on the host, setup and solve apart: A x = 1 from zero to the relative residual 1e-8, double, with the
/// default options or those of --set. Medians over repetitions after one that warms up. With --peer hypre BoomerAMG-PCG
/// solves the same matrix in the same run.
namespace amgsolve::bench {
namespace {

struct Options {
  std::vector<std::string> problems{"P1", "P2", "P3", "P4"};
  int threads = 0;
  int repetitions = 5;
  std::vector<std::string> settings;
  std::string peer = "none";
  std::string json;
};

struct Times {
  std::vector<double> setup;
  std::vector<double> solve;

  void add(double setup_seconds, double solve_seconds) {
    setup.push_back(setup_seconds);
    solve.push_back(solve_seconds);
  }
};

double median(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

double print(const char* solver, const std::string& problem, const Times& times, int iterations, double residual) {
  const double total = median(times.setup) + median(times.solve);
  fmt::print("{:<10}{:<10}{:>9.3f}{:>9.3f}{:>9.3f}{:>7}{:>12.2e}\n", problem, solver, median(times.setup),
             median(times.solve), total, iterations, residual);
  return total;
}

nlohmann::json to_json(const Times& times, int iterations, double residual) {
  return {{"setup_seconds", median(times.setup)},
          {"solve_seconds", median(times.solve)},
          {"iterations", iterations},
          {"relative_residual", residual}};
}

nlohmann::json phases(const Profile& profile) {
  nlohmann::json list = nlohmann::json::array();
  for (const Profile::Node& node : profile.nodes()) {
    list.push_back({{"phase", node.phase},
                    {"level", node.level},
                    {"seconds", node.seconds},
                    {"calls", node.calls},
                    {"bytes", node.work.bytes}});
  }
  return list;
}

/// Our solver on the problem; prints a line.
nlohmann::json bench_ours(Context<Host>& ctx, const CsrMatrix<double, Host>& A, const Configuration& configuration,
                          const Options& options, const std::string& name, double& total) {
  FatVector<double, Host> b(ctx, A.rows);
  FatVector<double, Host> x(ctx, A.rows);
  fill<double>(ctx, 1.0, b);
  Times times;
  SolveResult result;
  HierarchySummary summary;
  for (int repetition = -1; repetition < options.repetitions; ++repetition) {
    ctx.profile().clear();
    fill<double>(ctx, 0.0, x);
    AmgSolver<double, Host> solver(configuration.amg, configuration.solver);
    solver.setup(ctx, borrow(A));
    result = solver.solve(ctx, std::as_const(b), x);
    summary = solver.summary();
    if (repetition >= 0) {
      times.add(ctx.profile().seconds("setup"), ctx.profile().seconds("solve"));
    }
  }
  total = print("amgsolve", name, times, result.iterations, result.relative_residual);
  nlohmann::json json = to_json(times, result.iterations, result.relative_residual);
  json["convergence_factor"] = result.convergence_factor;
  json["operator_complexity"] = summary.operator_complexity;
  json["levels"] = summary.levels.size();
  json["peak_bytes"] = ctx.memory().peak_bytes();
  json["phases_of_last_repetition"] = phases(ctx.profile());
  return json;
}

nlohmann::json bench_hypre(const Ranks& ranks, const CsrMatrix<double, Host>& A, const SolverOptions& solver,
                           const Options& options, const std::string& name, double& total) {
  Times times;
  HypreResult result;
  for (int repetition = -1; repetition < options.repetitions; ++repetition) {
    result = solve_with_hypre(ranks, A, solver.tolerance, solver.max_iterations);
    if (repetition >= 0) {
      times.add(result.setup_seconds, result.solve_seconds);
    }
  }
  if (ranks.rank() != 0) {
    return {};
  }
  total = print("hypre", name, times, result.iterations, result.relative_residual);
  return to_json(times, result.iterations, result.relative_residual);
}

Configuration configure(const std::vector<std::string>& settings) {
  Configuration configuration;
  const Schema schema(library_entries(configuration));
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const SchemaEntry* entry = schema.find(setting.substr(0, equals));
    if (entry == nullptr || equals == std::string::npos) {
      throw ConfigurationError(fmt::format("--set {}: expected key=value with a key of the library", setting));
    }
    entry->set(entry->parse(setting.substr(equals + 1)));
  }
  validate(configuration);
  return configuration;
}

void run(const Ranks& ranks, const Options& options) {
  const Configuration configuration = configure(options.settings);
  Context<Host> ctx(options.threads);
  nlohmann::json json = describe_run(ctx, "solve");
  json["settings"] = options.settings;
  json["repetitions"] = options.repetitions;
  json["ranks_of_peer"] = ranks.size();
  if (ranks.rank() == 0) {
    fmt::print("{:<10}{:<10}{:>9}{:>9}{:>9}{:>7}{:>12}\n", "problem", "solver", "setup s", "solve s", "total s", "it",
               "residual");
  }
  for (const std::string& name : options.problems) {
    const auto A = generate_matrix<double>(ctx, problem(name));
    nlohmann::json row{{"problem", name}, {"rows", A.rows}, {"nnz", A.nnz()}};
    double ours = 0.0;
    double theirs = 0.0;
    if (ranks.rank() == 0) {
      row["amgsolve"] = bench_ours(ctx, A, configuration, options, name, ours);
    }
    ranks.wait_for_all();
    if (options.peer == "hypre") {
      row["hypre"] = bench_hypre(ranks, A, configuration.solver, options, name, theirs);
      if (ranks.rank() == 0) {
        fmt::print("{:<10}{:<28}{:>9.2f}\n", name, "amgsolve / hypre", ours / theirs);
        row["ratio"] = ours / theirs;
      }
    }
    json["problems"].push_back(row);
  }
  if (ranks.rank() == 0 && !options.json.empty()) {
    write_json(options.json, json);
  }
}

}  // namespace
}  // namespace amgsolve::bench

int main(int argc, char** argv) {
  using namespace amgsolve::bench;
  const Ranks ranks(&argc, &argv);
  CLI::App app("Whole solves on the host, beside hypre");
  Options options;
  app.add_option("--problem", options.problems, "P1, P2, P3, P4, P6 or P7; several")->capture_default_str();
  app.add_option("--threads", options.threads, "0: all")->capture_default_str();
  app.add_option("--repetitions", options.repetitions)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--set", options.settings, "key=value of the sections solver, amg, spgemm; several");
  app.add_option("--peer", options.peer, "none or hypre")
      ->check(CLI::IsMember(Ranks::have_hypre() ? std::vector<std::string>{"none", "hypre"}
                                                : std::vector<std::string>{"none"}))
      ->capture_default_str();
  app.add_option("--json", options.json, "file to write the results to");
  CLI11_PARSE(app, argc, argv);
  try {
    run(ranks, options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_solve: {}\n", error.what());
    return 1;
  }
  return 0;
}
