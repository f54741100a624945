// Setup and solve of Poisson's equation, 7-point, by the ranks that mpirun starts:
//   mpirun -n 2 bench_scaling --backend cuda --weak 256 --strong 512 --json FILE
// With several ranks it tells, too, how long messages between two of them take, by size, and what each level sends.
// Run with 1, 2, 4 ranks, and compare. Weak: N³ unknowns a rank, one box above the other; strong: N³ in all. On the
// host --peer hypre solves the same with hypre's BoomerAMG, which takes one thread a rank.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "amg/shared_solver.hpp"
#include "amg/solver.hpp"
#include "bench/common.hpp"
#include "bench/hypre_solve.hpp"
#include "bench/level_messages.hpp"
#include "bench/measure.hpp"
#include "core/communicator_staged.hpp"
#include "core/message_time.hpp"
#include "problems/generate.hpp"
#include "problems/right_hand_side.hpp"
#include "spmv/blas1.hpp"
#include "src/application/ranks.hpp"
#include "src/application/shared_matrix.hpp"
#include "src/library/device_ranks.hpp"
#include "src/library/measured_communicator.hpp"
#include "src/library/schema_builders.hpp"

namespace amgsolve {
namespace {

using nlohmann::json;

struct Options {
  bench::RunOptions run{.problems = {}, .json = {}};
  std::vector<std::int64_t> weak;
  std::vector<std::int64_t> strong;
  std::string discretization = "fd";
  std::string device_messages = "auto";
  std::optional<std::int64_t> replicate_below;
  std::optional<std::int64_t> set_up_whole_below;
  std::string peer;
  int repetitions = 3;
};

struct Run {
  double setup = 0.0;
  double solve = 0.0;
  SolveResult result;
  HierarchySummary summary;
  std::size_t shared_levels = 0;
  MeasuredCommunicator::Counts messages;  ///< of the solve
  json phases;                            ///< of rank 0
};

/// Of rank 0 or of any other, whichever takes longest.
template <MemorySpace S, class Work>
double seconds_of(Context<S>& ctx, const Communicator& ranks, const Work& work) {
  ctx.synchronize();
  ranks.max(0);
  const auto begin = std::chrono::steady_clock::now();
  work();
  ctx.synchronize();
  const double seconds = bench::seconds_since(begin);
  return 1e-9 * static_cast<double>(ranks.max(static_cast<std::int64_t>(1e9 * seconds)));
}

template <MemorySpace S>
Run run_once(Context<S>& ctx, const bench::LevelMessages& ranks, const GeneratedProblem& problem,
             const AmgOptions& amg) {
  Run run;
  ctx.collect_times();
  ctx.profile().clear();
  const RowRange rows = shared_rows(ranks, problem.unknowns());
  MultiVector<double, S> b(ctx, static_cast<Index>(rows.count()));
  MultiVector<double, S> x(ctx, b.rows());
  ones_right_hand_side(ctx, b.view());
  fill<double>(ctx, 0.0, x.view());
  const auto solve = [&](auto& solver) {
    const MeasuredCommunicator::Counts before = ranks.counts();
    run.solve = seconds_of(ctx, ranks, [&] { run.result = solver.solve(ctx, std::as_const(b).view(), x.view()); });
    const MeasuredCommunicator::Counts& after = ranks.counts();
    run.messages = {after.exchanges - before.exchanges, after.sums - before.sums, after.gathers - before.gathers,
                    after.bytes_sent - before.bytes_sent, after.seconds_waited - before.seconds_waited};
    run.summary = solver.summary();
  };
  if (ranks.size() == 1) {
    CsrMatrix<double, S> A = generate_matrix<double>(ctx, problem);
    AmgSolver<double, S> solver(amg, {});
    run.setup = seconds_of(ctx, ranks, [&] { solver.setup(ctx, std::move(A)); });
    solve(solver);
  } else {
    RankRows<double, S> strip = generate_strip<double>(ctx, problem, rows);
    SharedSolver<double, S> solver(amg, {});
    run.setup = seconds_of(ctx, ranks, [&] { solver.setup(ctx, std::move(strip)); });
    run.shared_levels = solver.shared_levels();
    solve(solver);
  }
  ctx.collect_times();
  run.phases = bench::to_json(ctx.profile());
  return run;
}

/// What the levels send in a setup and a solve more, done step by step, as rank 0 has it. What streams wait for is not
/// known.
template <MemorySpace S>
json messages_by_level(Context<S>& ctx, bench::LevelMessages& ranks, const GeneratedProblem& problem,
                       const AmgOptions& amg) {
  ctx.set_records_work(false);
  const auto levels = ranks.of(ctx.profile(), [&] { run_once(ctx, ranks, problem, amg); });
  ctx.set_records_work(true);
  json result = json::array();
  if (ranks.rank() == 0) {
    fmt::print("  {:<6} {:>5} {:>7} {:>6} {:>6} {:>10} {:>9}\n", "", "level", "exch.", "sums", "gath.", "MB sent",
               "waited ms");
  }
  for (const auto& [place, counts] : levels) {
    const auto& [part, level] = place;
    if (ranks.rank() == 0) {
      fmt::print("  {:<6} {:>5} {:>7} {:>6} {:>6} {:>10.3f} {:>9.2f}\n", part,
                 level == Profile::no_level ? "" : fmt::format("{}", level), counts.exchanges, counts.sums,
                 counts.gathers, 1e-6 * static_cast<double>(counts.bytes_sent), 1e3 * counts.seconds_waited);
    }
    result.push_back({{"part", part},
                      {"level", level == Profile::no_level ? json() : json(level)},
                      {"exchanges", counts.exchanges},
                      {"sums", counts.sums},
                      {"gathers", counts.gathers},
                      {"bytes_sent", counts.bytes_sent},
                      {"seconds_waited", counts.seconds_waited}});
  }
  return result;
}

/// The shortest of all repetitions.
template <MemorySpace S>
json measure(Context<S>& ctx, bench::LevelMessages& ranks, const std::string& name, const GeneratedProblem& problem,
             const Options& options) {
  AmgOptions amg;
  amg.replicate_below = options.replicate_below;
  amg.set_up_whole_below = options.set_up_whole_below;
  Run best;
  for (int i = 0; i < options.repetitions; ++i) {
    Run run = run_once(ctx, ranks, problem, amg);
    run.setup = i > 0 ? std::min(run.setup, best.setup) : run.setup;
    run.solve = i > 0 ? std::min(run.solve, best.solve) : run.solve;
    best = std::move(run);
  }
  const double iteration = best.solve / best.result.iterations;
  const double peak = static_cast<double>(ranks.max(static_cast<std::int64_t>(ctx.memory().peak_bytes())));
  if (ranks.rank() == 0) {
    fmt::print("{:<12} {:>11} {:>13} {:>9.4f} {:>9.4f} {:>4} {:>9.3f} {:>7} {:>6} {:>6} {:>10.2f} {:>9.1f}\n", name,
               problem.unknowns(), best.summary.levels.front().nnz, best.setup, best.solve, best.result.iterations,
               1e3 * iteration, best.messages.exchanges, best.messages.sums, best.messages.gathers,
               1e-6 * static_cast<double>(best.messages.bytes_sent), 1e-9 * peak);
  }
  json result = {{"name", name},
                 {"unknowns", problem.unknowns()},
                 {"nonzeros", best.summary.levels.front().nnz},
                 {"setup_s", best.setup},
                 {"solve_s", best.solve},
                 {"iterations", best.result.iterations},
                 {"relative_residual", best.result.relative_residual},
                 {"iteration_s", iteration},
                 {"levels", best.summary.levels.size()},
                 {"shared_levels", best.shared_levels},
                 {"solve_exchanges", best.messages.exchanges},
                 {"solve_sums", best.messages.sums},
                 {"solve_gathers", best.messages.gathers},
                 {"solve_bytes_sent", best.messages.bytes_sent},
                 {"peak_bytes_of_a_rank_so_far", peak},
                 {"phases_of_last_repetition", best.phases}};
  if (ranks.size() > 1) {
    result["messages_by_level"] = messages_by_level(ctx, ranks, problem, amg);
  }
  return result;
}

/// By hypre, the shortest of all repetitions.
json measure_hypre(Context<Host>& ctx, const Communicator& ranks, const std::string& name,
                   const GeneratedProblem& problem, const Options& options) {
  const RowRange rows = shared_rows(ranks, problem.unknowns());
  const RankRows<double, Host> A = generate_strip<double>(ctx, problem, rows);
  bench::PeerResult best;
  for (int i = 0; i < options.repetitions; ++i) {
    bench::PeerResult run = bench::solve_rows_with_hypre(A, rows.first, 1e-8, 200);
    run.setup_seconds = i > 0 ? std::min(run.setup_seconds, best.setup_seconds) : run.setup_seconds;
    run.solve_seconds = i > 0 ? std::min(run.solve_seconds, best.solve_seconds) : run.solve_seconds;
    best = run;
  }
  const double iteration = best.solve_seconds / best.iterations;
  if (ranks.rank() == 0) {
    fmt::print("{:<12} {:>11} {:>13} {:>9.4f} {:>9.4f} {:>4} {:>9.3f}\n", "  hypre", "", "", best.setup_seconds,
               best.solve_seconds, best.iterations, 1e3 * iteration);
  }
  return {{"name", name},
          {"solver", "hypre"},
          {"setup_s", best.setup_seconds},
          {"solve_s", best.solve_seconds},
          {"iterations", best.iterations},
          {"relative_residual", best.relative_residual},
          {"iteration_s", iteration}};
}

GeneratedProblem poisson(std::int64_t x, std::int64_t y, std::int64_t z, const std::string& discretization) {
  GeneratedProblem problem;
  problem.grid.dimensions = 3;
  problem.grid.size = {x, y, z};
  problem.discretization = discretization == "q1" ? Discretization::q1 : Discretization::fd;
  return problem;
}

template <MemorySpace S>
void run_all(Context<S>& ctx, bench::LevelMessages& ranks, json messages, const Options& options) {
  json result = bench::describe_run(ctx, "scaling");
  result["ranks"] = ranks.size();
  result["device_messages"] = ranks.transport();
  result["messages"] = std::move(messages);
  result["replicate_below"] = options.replicate_below ? json(*options.replicate_below) : json("auto");
  result["set_up_whole_below"] = options.set_up_whole_below ? json(*options.set_up_whole_below) : json("auto");
  result["discretization"] = options.discretization;
  if (ranks.rank() == 0) {
    fmt::print("{} ranks {}\n{:<12} {:>11} {:>13} {:>9} {:>9} {:>4} {:>9} {:>7} {:>6} {:>6} {:>10} {:>9}\n",
               ranks.size(), ranks.transport(), "problem", "unknowns", "nonzeros", "setup s", "solve s", "it", "ms/it",
               "exch.", "sums", "gath.", "MB sent", "so far GB");
  }
  const auto add = [&](const std::string& name, const GeneratedProblem& problem) {
    result["results"].push_back(measure(ctx, ranks, name, problem, options));
    if constexpr (std::same_as<S, Host>) {
      if (!options.peer.empty()) {
        result["peers"].push_back(measure_hypre(ctx, ranks, name, problem, options));
      }
    }
  };
  for (const std::int64_t n : options.weak) {
    add(fmt::format("weak {}", n), poisson(n, n, n * ranks.size(), options.discretization));
  }
  for (const std::int64_t n : options.strong) {
    add(fmt::format("strong {}", n), poisson(n, n, n, options.discretization));
  }
  if (ranks.rank() == 0) {
    bench::write_json(options.run.json, result);
  }
}

/// Adds what messages between two ranks take to those of other ways to pass them, and prints it.
template <MemorySpace S>
void time_messages(Context<S>& ctx, const std::string& transport, json& messages) {
  const Communicator& ranks = ctx.communicator();
  if (ranks.size() == 1) {
    return;
  }
  json seconds;
  std::string line;
  for (const std::size_t bytes : {4U, 64U, 1024U, 16384U, 65536U, 262144U, 1048576U, 4194304U}) {
    const double taken = seconds_of_messages(ctx, bytes);
    seconds.push_back({{"bytes", bytes}, {"seconds", taken}});
    line += fmt::format(" {:>9} {:>7.1f}", bytes, 1e6 * taken);
  }
  if (ranks.rank() == 0) {
    fmt::print("bytes, us of messages between two ranks {}:{}\n", transport, line);
  }
  messages.push_back({{"transport", transport}, {"messages", std::move(seconds)}});
}

/// @param argc, argv  for hypre, which starts MPI by itself
void run(const Communicator& communicator, int argc, char** argv, const Options& options) {
  JobConfiguration configuration;
  configuration.backend = options.run.backend == "cuda" ? Backend::cuda : Backend::host;
  if (options.weak.empty() && options.strong.empty()) {
    throw ConfigurationError("there is nothing to solve: give --weak or --strong");
  }
  if (!options.peer.empty() && configuration.backend != Backend::host) {
    throw ConfigurationError("--peer: peers run on the host only");
  }
  configuration.threads = options.run.threads;
  configuration = on_ranks(configuration, communicator);
  json messages = json::array();
  {
    Context<Host> host(1, communicator);
    time_messages(host, "of host memory by MPI", messages);
  }
  if (configuration.backend == Backend::host) {
    std::optional<bench::Ranks> hypre;
    if (!options.peer.empty()) {
      hypre.emplace(&argc, &argv);
    }
    const MeasuredCommunicator measured(communicator);
    bench::LevelMessages ranks(measured);
    Context<Host> ctx(configuration.threads, ranks);
    run_all(ctx, ranks, std::move(messages), options);
    return;
  }
#if AMGSOLVE_HAVE_CUDA
  expect_messages_in_turn();
  const std::unique_ptr<Communicator> devices = connect_devices(
      communicator, configuration.device, schema::meaning(device_messages_words(), options.device_messages));
  const std::unique_ptr<Communicator> staged =
      staged_communicator(communicator, configuration.device, StageMemory::host);
  if (!devices->transport().starts_with(staged->transport())) {  // which are measured anyway
    Context<Cuda> ctx(configuration.device, nullptr, *staged);
    time_messages(ctx, staged->transport(), messages);
  }
  const MeasuredCommunicator measured(*devices);
  bench::LevelMessages ranks(measured);
  Context<Cuda> ctx(configuration.device, nullptr, ranks);
  time_messages(ctx, ranks.transport(), messages);
  ctx.set_records_work(true);
  run_all(ctx, ranks, std::move(messages), options);
#endif
}

}  // namespace
}  // namespace amgsolve

int main(int argc, char** argv) {
  using namespace amgsolve;
  Ranks program(argc, argv);
  bench::CommandLine line("Setup and solve on several ranks");
  Options options;
  line.add("--backend", options.run.backend, "host or cuda", {"host", "cuda"});
  line.add("--threads", options.run.threads, "OpenMP threads of a rank");
  line.add_positive("--weak", options.weak, "unknowns along an edge, of each rank");
  line.add_positive("--strong", options.strong, "unknowns along an edge, of all ranks together");
  line.add("--discretization", options.discretization, "fd or q1", {"fd", "q1"});
  line.add("--device-messages", options.device_messages, "auto, nccl, direct or staged",
           {"auto", "nccl", "direct", "staged"});
  line.add("--replicate-below", options.replicate_below, "see distributed.replicate_below");
  line.add("--set-up-whole-below", options.set_up_whole_below, "entries of levels that each rank sets up whole");
  line.add("--peer", options.peer, "hypre, on the host", {bench::Ranks::have_hypre() ? "hypre" : ""});
  line.add_positive("--repetitions", options.repetitions, "of which the shortest times count");
  line.add("--json", options.run.json, "a file for the result");
  return program.finish(line.run(argc, argv, [&] { run(program.communicator(), argc, argv, options); }));
}
