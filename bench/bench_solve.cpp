#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/common.hpp"
#include "bench/measure.hpp"
#include "bench/whole_solve.hpp"
#include "problems/generate.hpp"

/// Whole solves, setup and solve apart: A x = 1 from zero to the relative residual 1e-8, double, with the default
/// options or those of --set. The matrix is made in the backend's memory. Medians over repetitions after one that warms
/// up. On the host the peers named by --peer solve the same matrix in the same run: hypre's BoomerAMG-PCG, and AMGCL's
/// smoothed aggregation under conjugate gradients. With --set solver.reuse=pattern (or hierarchy) also what the same
/// values take as new ones.
namespace amgsolve::bench {
namespace {

struct Options {
  RunOptions run;
  SolveOptions solve;
};

void print(const std::string& solver, const std::string& problem, const Times& times, int iterations, double residual) {
  fmt::print("{:<10}{:<10}{:>10.4f}{:>10.4f}{:>10.4f}{:>7}{:>12.2e}\n", problem, solver, median(times.setup),
             median(times.solve), times.total(), iterations, residual);
}

/// Our solver on the problem; prints a line.
template <MemorySpace S>
nlohmann::json bench_ours(Context<S>& ctx, const CsrMatrix<double, S>& A, const Configuration& configuration,
                          const Options& options, const std::string& name, double& total) {
  const MultiVector<double, S> coordinates = nodes_of(ctx, problem(name));
  const OurSolves solves =
      solve_repeatedly(ctx, A, configuration, options.solve.repetitions, std::as_const(coordinates));
  const SolveResult& result = solves.result;
  total = solves.times.total();
  print("amgsolve", name, solves.times, result.iterations, result.relative_residual);
  nlohmann::json json = to_json(solves.times, result.iterations, result.relative_residual);
  if (!solves.updates.empty()) {
    json["update_seconds"] = median(solves.updates);
    fmt::print("{:<10}{:<30}{:>10.4f}  of a setup: {:.2f}\n", name, "new values in a known pattern",
               median(solves.updates), median(solves.updates) / median(solves.times.setup));
  }
  json["convergence_factor"] = result.convergence_factor;
  json["operator_complexity"] = solves.summary.operator_complexity;
  json["levels"] = nlohmann::json::array();
  for (const LevelSummary& level : solves.summary.levels) {
    json["levels"].push_back({{"rows", level.rows}, {"nnz", level.nnz}});
  }
  json["peak_bytes"] = ctx.memory().peak_bytes();
  json["phases_of_last_repetition"] = to_json(ctx.profile());
  return json;
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
    for (const PeerSolves& solves : solve_with_peers(ranks, A, ctx.threads(), configuration.solver, options.solve)) {
      const PeerResult& result = solves.result;
      const double ratio = ours / solves.times.total();
      print(solves.peer, name, solves.times, result.iterations, result.relative_residual);
      fmt::print("{:<10}{:<30}{:>10.2f}\n", name, "amgsolve / " + solves.peer, ratio);
      row[solves.peer] = to_json(solves.times, result.iterations, result.relative_residual);
      row[solves.peer]["amgsolve_ratio"] = ratio;
    }
    ranks.wait_for_all();
  }
  return row;
}

void run(const Ranks& ranks, const Options& options) {
  const Configuration configuration = configure(options.solve, options.run.backend);
  nlohmann::json json;
  with_context(options.run, [&](auto& ctx) { json = describe_run(ctx, "solve"); });
  json["settings"] = options.solve.settings;
  json["repetitions"] = options.solve.repetitions;
  json["ranks_of_hypre"] = ranks.size();
  json["amgcl_strength"] = options.solve.amgcl_strength;
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
  CommandLine line("Whole solves, on the host beside hypre and AMGCL");
  Options options;
  add_run_options(line, options.run);
  add_solve_options(line, options.solve);
  return line.run(argc, argv, [&] { run(ranks, options); });
}
