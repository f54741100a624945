// Several right-hand sides of one matrix: one after the other, together as the columns of a fat vector, and at once on
// threads of their own by solvers that share a hierarchy (AmgSolver::share()):
//   bench_columns --problem P1 --edge 512 --edge 1024 --columns 8 --json FILE
// The hierarchy is set up before. Seconds are those of all right-hand sides, the least over rounds in which every way
// has its turn, after a round that warms up.
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "bench/common.hpp"
#include "bench/measure.hpp"
#include "bench/whole_solve.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"

namespace amgsolve::bench {
namespace {

struct Options {
  RunOptions run{.problems = {"P1", "P3", "E68"}, .json = {}};
  std::vector<std::int64_t> edges;  ///< none: those of the problems
  int columns = 8;
  std::vector<int> at_once{1, 2};
  int rounds = 5;
};

/// The least seconds of what went on, and the iterations of its last solve.
struct Least {
  double seconds = std::numeric_limits<double>::infinity();
  int iterations = 0;

  void take(double taken, const SolveResult& result) {
    seconds = std::min(seconds, taken);
    iterations = result.iterations;
  }
};

/// A random right-hand side of some columns and the solution of the solves for it.
template <MemorySpace S>
class RightHandSide {
 public:
  RightHandSide(Context<S>& ctx, Index rows, Index columns) : b_(ctx, rows, columns), x_(ctx, rows, columns) {
    fill_random<double>(ctx, 0, b_);
  }

  /// Solves `times` times from zero. Returns when the last is done.
  SolveResult solve(Context<S>& ctx, AmgSolver<double, S>& solver, int times) {
    SolveResult result;
    for (int i = 0; i < times; ++i) {
      fill<double>(ctx, 0.0, x_);
      result = solver.solve(ctx, std::as_const(b_), x_);
    }
    ctx.collect_times();
    ctx.profile().clear();
    return result;
  }

 private:
  MultiVector<double, S> b_;
  MultiVector<double, S> x_;
};

template <MemorySpace S>
Context<S> context_of_one_thread() {
  if constexpr (std::is_same_v<S, Host>) {
    return Context<Host>(1);
  } else {
    return Context<S>();
  }
}

/// `solves` solves by each of `threads` threads, in rounds that begin together. The first round warms up.
template <MemorySpace S>
Least solve_at_once(const AmgSolver<double, S>& solver, Index rows, int threads, int solves, int rounds) {
  Least least;
  std::chrono::steady_clock::time_point begin;
  std::barrier together(threads);
  const auto work = [&](int thread) {
    Context<S> ctx = context_of_one_thread<S>();
    AmgSolver<double, S> mine = solver.share(ctx);
    RightHandSide<S> one(ctx, rows, 1);
    for (int round = -1; round < rounds; ++round) {
      together.arrive_and_wait();
      if (thread == 0) {
        begin = std::chrono::steady_clock::now();
      }
      const SolveResult result = one.solve(ctx, mine, solves);
      together.arrive_and_wait();
      if (thread == 0 && round >= 0) {
        least.take(seconds_since(begin), result);
      }
    }
  };
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back(work, thread);
  }
  for (std::thread& thread : all) {
    thread.join();
  }
  return least;
}

template <MemorySpace S>
nlohmann::json bench_problem(Context<S>& ctx, const std::string& name, std::optional<std::int64_t> edge,
                             const Options& options) {
  GeneratedProblem generated = problem(name);
  if (edge) {
    std::fill_n(generated.grid.size.begin(), generated.grid.dimensions, *edge);
  }
  CsrMatrix<double, S> A = generate_matrix<double>(ctx, generated);
  const Index rows = A.rows;
  const MultiVector<double, S> coordinates = nodes_of(ctx, generated);
  Configuration configuration;
  AmgSolver<double, S> solver(configuration.amg, configuration.solver);
  solver.setup(ctx, std::move(A), {}, coordinates);

  Least singles;
  Least together;
  {
    RightHandSide<S> one(ctx, rows, 1);
    RightHandSide<S> fat(ctx, rows, options.columns);
    // Of their own, as the vectors of a cycle are made anew for another number of columns.
    AmgSolver<double, S> of_one = solver.share(ctx);
    AmgSolver<double, S> of_fat = solver.share(ctx);
    const auto measure = [&](Least& least, AmgSolver<double, S>& by, RightHandSide<S>& right_hand_side, int times,
                             bool warms_up) {
      const auto begin = std::chrono::steady_clock::now();
      const SolveResult result = right_hand_side.solve(ctx, by, times);
      if (!warms_up) {
        least.take(seconds_since(begin), result);
      }
    };
    for (int round = -1; round < options.rounds; ++round) {
      measure(singles, of_one, one, options.columns, round < 0);
      measure(together, of_fat, fat, 1, round < 0);
    }
  }
  nlohmann::json json{{"problem", name}, {"rows", rows}, {"single_seconds", singles.seconds}};
  const auto add = [&](const std::string& way, const Least& least, double per_side) {
    fmt::print("{:<8}{:>10}  {:<24}{:>10.4f}{:>8.2f}{:>5}\n", name, rows, way, least.seconds, per_side,
               least.iterations);
  };
  add("one after the other", singles, 1.0);
  add("together", together, together.seconds / singles.seconds);
  json["together"] = {{"seconds", together.seconds},
                      {"iterations", together.iterations},
                      {"of_single", together.seconds / singles.seconds}};
  for (const int threads : options.at_once) {
    const int solves = (options.columns + threads - 1) / threads;
    const Least least = solve_at_once(solver, rows, threads, solves, options.rounds);
    const double of_single = least.seconds / (threads * solves) / (singles.seconds / options.columns);
    add(fmt::format("on {} threads of one each", threads), least, of_single);
    json["at_once"].push_back(
        {{"threads", threads}, {"solves", threads * solves}, {"seconds", least.seconds}, {"of_single", of_single}});
  }
  return json;
}

void run(const Options& options) {
  nlohmann::json json;
  with_context(options.run, [&](auto& ctx) { json = describe_run(ctx, "columns"); });
  json["columns"] = options.columns;
  json["rounds"] = options.rounds;
  fmt::print("{:<8}{:>10}  {:<24}{:>10}{:>8}{:>5}\n", "problem", "rows", fmt::format("{} solves", options.columns),
             "seconds", "ratio", "it");
  std::vector<std::optional<std::int64_t>> edges(options.edges.begin(), options.edges.end());
  if (edges.empty()) {
    edges.emplace_back();
  }
  for (const std::string& name : options.run.problems) {
    for (const std::optional<std::int64_t> edge : edges) {
      with_context(options.run,
                   [&](auto& ctx) { json["problems"].push_back(bench_problem(ctx, name, edge, options)); });
    }
  }
  write_json(options.run.json, json);
}

}  // namespace
}  // namespace amgsolve::bench

int main(int argc, char** argv) {
  using namespace amgsolve::bench;
  CommandLine line("Several right-hand sides: one after the other, together, and at once on threads");
  Options options;
  add_run_options(line, options.run);
  line.add_positive("--edge", options.edges, "unknowns per direction, in place of the problems' own; several");
  line.add_positive("--columns", options.columns, "right-hand sides");
  line.add_positive("--at-once", options.at_once, "threads that solve at once, each by itself; several");
  line.add_positive("--rounds", options.rounds, "of which the least times count");
  return line.run(argc, argv, [&] { run(options); });
}
