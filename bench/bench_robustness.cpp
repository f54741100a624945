#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/common.hpp"
#include "bench/measure.hpp"
#include "bench/robustness_table.hpp"
#include "bench/whole_solve.hpp"
#include "core/errors.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/operator.hpp"
#include "spmv/transfer.hpp"

/// Default options on all problems of the table of robustness: iterations and operator complexity, setup and solve in
/// products of the finest level's matrix with a vector, and the peers' iterations beside. A x = 1 from zero to 1e-8,
/// with 1000 iterations allowed. bench/robustness_page.py makes docs/robustness.md of the
/// results.
namespace amgsolve::bench {
namespace {

struct Options {
  RunOptions run;
  SolveOptions solve;
  std::string data;
  std::string name;
  Index size_limit = 1024;
};

/// Seconds of y = A x, the least of some batches.
template <MemorySpace S>
double product_seconds(Context<S>& ctx, const CsrMatrix<double, S>& A) {
  constexpr int batches = 4;
  constexpr int calls = 8;
  const Operator<double, S> stored(ctx, borrow(A));
  MultiVector<double, S> x(ctx, A.cols);
  MultiVector<double, S> y(ctx, A.rows);
  fill<double>(ctx, 1.0, x);
  double least = 1e300;
  for (int batch = 0; batch < batches; ++batch) {
    ctx.collect_times();
    ctx.profile().clear();
    {
      const ScopedTimer timer(ctx, "products");
      for (int call = 0; call < calls; ++call) {
        stored.apply(ctx, 1.0, std::as_const(x), 0.0, y);
      }
    }
    ctx.collect_times();
    least = std::min(least, ctx.profile().seconds("products") / calls);
  }
  return least;
}

/// Our solver on the problem; what it throws is its status.
template <MemorySpace S>
nlohmann::json solve(Context<S>& ctx, const CsrMatrix<double, S>& A, const Configuration& configuration,
                     int repetitions) {
  try {
    const OurSolves solves = solve_repeatedly(ctx, A, configuration, repetitions);
    nlohmann::json json = to_json(solves.times, solves.result.iterations, solves.result.relative_residual);
    json["converged"] = solves.result.reason <= StopReason::attained;
    json["attained"] = solves.result.reason == StopReason::attained;
    json["status"] = describe(solves.result.reason);
    json["operator_complexity"] = solves.summary.operator_complexity;
    for (const LevelSummary& level : solves.summary.levels) {
      json["levels"].push_back({level.rows, level.nnz, level.strength_threshold, level.dropped_weight,
                                level.prolongator_steps, level.truncation});
    }
    return json;
  } catch (const Error& error) {
    return {{"converged", false}, {"status", error.what()}};
  }
}

void print(const nlohmann::json& row, const Ranks& ranks) {
  if (ranks.rank() != 0) {
    return;
  }
  const nlohmann::json& ours = row["amgsolve"];
  fmt::print("{:<14}{:<34}{:>5}{:>9}", row["family"].get<std::string>(), row["problem"].get<std::string>(),
             row["size"].get<Index>(), row["rows"].get<Index>());
  if (ours.contains("iterations")) {
    const double product = row["product_seconds"];
    fmt::print("{:>5}{}{:>6.2f}{:>8.0f}{:>7.0f}", ours["iterations"].get<int>(), ours["converged"] ? " " : "!",
               ours["operator_complexity"].get<double>(), ours["setup_seconds"].get<double>() / product,
               ours["solve_seconds"].get<double>() / product);
  } else {
    fmt::print(" {}", ours["status"].get<std::string>());
  }
  for (const char* peer : {"hypre", "amgcl"}) {
    if (row.contains(peer)) {
      fmt::print("  {} {}", peer, row[peer]["iterations"].get<int>());
    }
  }
  fmt::print("\n");
  std::fflush(stdout);
}

template <MemorySpace S>
nlohmann::json bench(Context<S>& ctx, const Ranks& ranks, const CsrMatrix<double, Host>& A_host,
                     const Configuration& configuration, const Options& options) {
  nlohmann::json row{{"rows", A_host.rows}, {"nnz", A_host.nnz()}};
  CsrMatrix<double, S> A;
  if constexpr (std::is_same_v<S, Host>) {
    A = borrow(A_host);
  } else {
    A = upload(ctx, A_host);
  }
  if (ranks.rank() == 0) {
    row["product_seconds"] = product_seconds(ctx, A);
    row["amgsolve"] = solve(ctx, A, configuration, options.solve.repetitions);
  }
  ranks.wait_for_all();
  if constexpr (std::is_same_v<S, Host>) {
    for (const PeerSolves& solves : solve_with_peers(ranks, A, ctx.threads(), configuration.solver, options.solve)) {
      row[solves.peer] = to_json(solves.times, solves.result.iterations, solves.result.relative_residual);
      row[solves.peer]["converged"] =
          solves.result.relative_residual <= configuration.solver.tolerance.value_or(default_tolerance<double>);
    }
  }
  return row;
}

std::vector<std::string> families(const std::vector<RobustnessProblem>& problems) {
  std::set<std::string> names;
  for (const auto& problem : problems) {
    names.insert(problem.family);
  }
  return {names.begin(), names.end()};
}

void run(const Ranks& ranks, const Options& options) {
  SolveOptions solve = options.solve;
  solve.settings.insert(solve.settings.begin(), "solver.max_iterations=1000");  // unless another is given
  const Configuration configuration = configure(solve, options.run.backend);
  Context<Host> host(options.run.threads);
  nlohmann::json json;
  with_context(options.run, [&](auto& ctx) {
    json = describe_run(ctx, "robustness");
    json["settings"] = solve.settings;
    for (const auto& problem : robustness_problems(options.data)) {
      if (std::ranges::find(options.run.problems, problem.family) == options.run.problems.end() ||
          problem.name.find(options.name) == std::string::npos) {
        continue;
      }
      if (problem.lacks_file()) {
        fmt::print("{:<14}{:<34} left out: {} is absent, see --data\n", problem.family, problem.name,
                   problem.file.string());
        continue;
      }
      for (const Index size : problem.sizes) {
        if (size > options.size_limit) {
          continue;
        }
        const CsrMatrix<double, Host> A = problem.make(host, size);
        nlohmann::json row = bench(ctx, ranks, A, configuration, options);
        row["family"] = problem.family;
        row["problem"] = problem.name;
        row["size"] = size;
        print(row, ranks);
        json["problems"].push_back(std::move(row));
      }
    }
  });
  if (!json.contains("problems")) {
    throw ConfigurationError(fmt::format(
        "nothing was measured: no problem at hand has '{}' in its name and {} unknowns along an edge at most",
        options.name, options.size_limit));
  }
  if (ranks.rank() == 0) {
    write_json(options.run.json, json);
  }
}

}  // namespace
}  // namespace amgsolve::bench

int main(int argc, char** argv) {
  using namespace amgsolve;
  using namespace amgsolve::bench;
  const Ranks ranks(&argc, &argv);
  CommandLine line("Default options on many problems, on the host beside hypre and AMGCL");
  Options options;
  options.solve.repetitions = 1;
  const char* data = std::getenv("AMGSOLVE_DATA_DIR");
  options.data = data != nullptr ? data : AMGSOLVE_DATA_DIR;
  options.run.problems = families(robustness_problems(options.data));
  add_run_options(line, options.run, options.run.problems);
  add_solve_options(line, options.solve);
  line.add("--data", options.data, "folder of real matrices; also AMGSOLVE_DATA_DIR in the environment");
  line.add("--name", options.name, "only problems whose name has this in it");
  line.add("--size-limit", options.size_limit, "unknowns along an edge, at most");
  return line.run(argc, argv, [&] { run(ranks, options); });
}
