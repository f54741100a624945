#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "amg/solver.hpp"
#include "bench/amgcl_solve.hpp"
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
/// up. On the host the peers named by --peer solve the same matrix in the same run: hypre's BoomerAMG-PCG, and AMGCL's
/// smoothed aggregation under conjugate gradients. With --set solver.reuse=pattern (or hierarchy) also what the same
/// values take as new ones.
namespace amgsolve::bench {
namespace {

struct Options {
  RunOptions run;
  int repetitions = 5;
  std::vector<std::string> settings;
  std::vector<std::string> peers;
  double amgcl_strength = amgcl_default_strength;

  bool has_peer(const char* name) const { return std::ranges::find(peers, name) != peers.end(); }
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
  std::vector<double> updates;
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
    if (configuration.solver.reuse != Reuse::none) {
      solver.update_values(ctx, borrow(A));
    }
    ctx.collect_times();
    if (repetition >= 0) {
      times.add(ctx.profile().seconds("setup"), ctx.profile().seconds("solve"));
      updates.push_back(ctx.profile().seconds("update"));
    }
  }
  total = print("amgsolve", name, times, result.iterations, result.relative_residual);
  nlohmann::json json = to_json(times, result.iterations, result.relative_residual);
  if (configuration.solver.reuse != Reuse::none) {
    json["update_seconds"] = median(updates);
    fmt::print("{:<10}{:<30}{:>10.4f}  of a setup: {:.2f}\n", name, "new values in a known pattern", median(updates),
               median(updates) / median(times.setup));
  }
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

/// A peer on the problem, by solve() on every rank; prints a line, and its share of our time.
template <class Solve>
void bench_peer(const char* peer, const Ranks& ranks, const Options& options, const std::string& name, double ours,
                nlohmann::json& row, const Solve& solve) {
  Times times;
  PeerResult result;
  for (int repetition = -1; repetition < options.repetitions; ++repetition) {
    result = solve();
    if (repetition >= 0) {
      times.add(result.setup_seconds, result.solve_seconds);
    }
  }
  if (ranks.rank() == 0) {
    const double theirs = print(peer, name, times, result.iterations, result.relative_residual);
    fmt::print("{:<10}{:<30}{:>10.2f}\n", name, fmt::format("amgsolve / {}", peer), ours / theirs);
    row[peer] = to_json(times, result.iterations, result.relative_residual);
    row[peer]["amgsolve_ratio"] = ours / theirs;
  }
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
    const SolverOptions& solver = configuration.solver;
    if (options.has_peer("hypre")) {
      bench_peer("hypre", ranks, options, name, ours, row,
                 [&] { return solve_with_hypre(ranks, A, solver.tolerance, solver.max_iterations); });
    }
    if (options.has_peer("amgcl") && ranks.rank() == 0) {
      bench_peer("amgcl", ranks, options, name, ours, row, [&] {
        return solve_with_amgcl(A, ctx.threads(), options.amgcl_strength, solver.tolerance, solver.max_iterations);
      });
    }
    ranks.wait_for_all();
  }
  return row;
}

void run(const Ranks& ranks, const Options& options) {
  if (!options.peers.empty() && options.run.backend != "host") {
    throw ConfigurationError("--peer: peers run on the host only");
  }
  const Configuration configuration = configure(options.settings);
  nlohmann::json json;
  with_context(options.run, [&](auto& ctx) { json = describe_run(ctx, "solve"); });
  json["settings"] = options.settings;
  json["repetitions"] = options.repetitions;
  json["ranks_of_hypre"] = ranks.size();
  json["amgcl_strength"] = options.amgcl_strength;
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

std::vector<std::string> peers_in_this_build() {
  std::vector<std::string> peers;
  if (Ranks::have_hypre()) {
    peers.emplace_back("hypre");
  }
  if (have_amgcl()) {
    peers.emplace_back("amgcl");
  }
  return peers;
}

}  // namespace
}  // namespace amgsolve::bench

int main(int argc, char** argv) {
  using namespace amgsolve::bench;
  const Ranks ranks(&argc, &argv);
  CLI::App app("Whole solves, on the host beside hypre and AMGCL");
  Options options;
  add_run_options(app, options.run);
  app.add_option("--repetitions", options.repetitions)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--set", options.settings, "key=value of the sections solver, amg, spgemm; several");
  app.add_option("--peer", options.peers, "Those found when this was built; several")
      ->check(CLI::IsMember(peers_in_this_build()));
  app.add_option("--amgcl-strength", options.amgcl_strength, "AMGCL's eps_strong")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    run(ranks, options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_solve: {}\n", error.what());
    return 1;
  }
  return 0;
}
