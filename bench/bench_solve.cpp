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
#include "bench/measure.hpp"
#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "src/library/schema.hpp"

/// Whole solves, setup and solve apart: A x = 1 from zero to the relative residual 1e-8, double, with the default
/// options or those of --set. The matrix is made in the backend's memory. Medians over repetitions after one that warms
/// up. On the host, with --peer hypre, BoomerAMG-PCG solves the same matrix in the same run.
namespace amgsolve::bench {
namespace {

struct Options {
  RunOptions run;
  int repetitions = 5;
  std::vector<std::string> settings;
  std::string peer = "none";
};

struct Times {
  std::vector<double> setup;
  std::vector<double> solve;

  void add(double setup_seconds, double solve_seconds) {
    setup.push_back(setup_seconds);
    solve.push_back(solve_seconds);
  }
};

double print(const char* solver, const std::string& problem, const Times& times, int iterations, double residual) {
  const double total = median(times.setup) + median(times.solve);
  fmt::print("{:<10}{:<10}{:>10.4f}{:>10.4f}{:>10.4f}{:>7}{:>12.2e}\n", problem, solver, median(times.setup),
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
template <MemorySpace S>
nlohmann::json bench_ours(Context<S>& ctx, const CsrMatrix<double, S>& A, const Configuration& configuration,
                          const Options& options, const std::string& name, double& total) {
  FatVector<double, S> b(ctx, A.rows);
  FatVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 1.0, b);
  Times times;
  SolveResult result;
  HierarchySummary summary;
  for (int repetition = -1; repetition < options.repetitions; ++repetition) {
    ctx.collect_times();
    ctx.profile().clear();
    fill<double>(ctx, 0.0, x);
    AmgSolver<double, S> solver(configuration.amg, configuration.solver);
    solver.setup(ctx, borrow(A));
    result = solver.solve(ctx, std::as_const(b), x);
    summary = solver.summary();
    ctx.collect_times();
    if (repetition >= 0) {
      times.add(ctx.profile().seconds("setup"), ctx.profile().seconds("solve"));
    }
  }
  total = print("amgsolve", name, times, result.iterations, result.relative_residual);
  nlohmann::json json = to_json(times, result.iterations, result.relative_residual);
  json["convergence_factor"] = result.convergence_factor;
  json["operator_complexity"] = summary.operator_complexity;
  json["levels"] = nlohmann::json::array();
  for (const LevelSummary& level : summary.levels) {
    json["levels"].push_back({{"rows", level.rows}, {"nnz", level.nnz}});
  }
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

template <MemorySpace S>
nlohmann::json bench_problem(Context<S>& ctx, const Ranks& ranks, const Configuration& configuration,
                             const Options& options, const std::string& name) {
  const CsrMatrix<double, S> A = generate_matrix<double>(ctx, problem(name));
  nlohmann::json row{{"problem", name}, {"rows", A.rows}, {"nnz", A.nnz()}};
  double ours = 0.0;
  if (ranks.rank() == 0) {
    row["amgsolve"] = bench_ours(ctx, A, configuration, options, name, ours);
  }
  ranks.wait_for_all();
  if constexpr (std::is_same_v<S, Host>) {
    if (options.peer == "hypre") {
      double theirs = 0.0;
      row["hypre"] = bench_hypre(ranks, A, configuration.solver, options, name, theirs);
      if (ranks.rank() == 0) {
        fmt::print("{:<10}{:<30}{:>10.2f}\n", name, "amgsolve / hypre", ours / theirs);
        row["ratio"] = ours / theirs;
      }
    }
  }
  return row;
}

void run(const Ranks& ranks, const Options& options) {
  if (options.peer == "hypre" && options.run.backend != "host") {
    throw ConfigurationError("--peer hypre: runs on the host only");
  }
  const Configuration configuration = configure(options.settings);
  nlohmann::json json;
  with_context(options.run, [&](auto& ctx) { json = describe_run(ctx, "solve"); });
  json["settings"] = options.settings;
  json["repetitions"] = options.repetitions;
  json["ranks_of_peer"] = ranks.size();
  if (ranks.rank() == 0) {
    fmt::print("{:<10}{:<10}{:>10}{:>10}{:>10}{:>7}{:>12}\n", "problem", "solver", "setup s", "solve s", "total s",
               "it", "residual");
  }
  for (const std::string& name : options.run.problems) {
    // A context for each, whose peak of memory is the problem's own.
    with_context(options.run, [&](auto& ctx) {
      json["problems"].push_back(bench_problem(ctx, ranks, configuration, options, name));
    });
  }
  if (ranks.rank() == 0) {
    write_json(options.run.json, json);
  }
}

}  // namespace
}  // namespace amgsolve::bench

int main(int argc, char** argv) {
  using namespace amgsolve::bench;
  const Ranks ranks(&argc, &argv);
  CLI::App app("Whole solves, on the host beside hypre");
  Options options;
  add_run_options(app, options.run);
  app.add_option("--repetitions", options.repetitions)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--set", options.settings, "key=value of the sections solver, amg, spgemm; several");
  app.add_option("--peer", options.peer, "none or hypre")
      ->check(CLI::IsMember(Ranks::have_hypre() ? std::vector<std::string>{"none", "hypre"}
                                                : std::vector<std::string>{"none"}))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    run(ranks, options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_solve: {}\n", error.what());
    return 1;
  }
  return 0;
}
