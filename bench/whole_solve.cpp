#include "bench/whole_solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "amg/solver.hpp"
#include "bench/measure.hpp"
#include "core/errors.hpp"
#include "problems/coordinates.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "src/library/schema.hpp"

namespace amgsolve::bench {
namespace {

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

/// Keys that take no effect here, and what to do instead.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> idle_keys{
    {{"solver.backend", "use --backend"},
     {"solver.threads", "use --threads"},
     {"solver.device", "set CUDA_VISIBLE_DEVICES in the environment"},
     {"solver.memory_limit", "a benchmark has no limit"},
     {"distributed.replicate_below", "use --replicate-below of bench_scaling"},
     {"distributed.device_messages", "use --device-messages of bench_scaling"}}};

template <class Solve>
PeerSolves repeat(const char* peer, int repetitions, const Solve& solve) {
  PeerSolves solves;
  solves.peer = peer;
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    solves.result = solve();
    if (repetition >= 0) {
      solves.times.setup.push_back(solves.result.setup_seconds);
      solves.times.solve.push_back(solves.result.solve_seconds);
    }
  }
  return solves;
}

}  // namespace

void add_solve_options(CommandLine& line, SolveOptions& options) {
  line.add_positive("--repetitions", options.repetitions, "timed, after one that is not");
  line.add("--set", options.settings, "key=value of the sections solver, amg, spgemm; several");
  line.add("--peer", options.peers, "those found when this was built; several", peers_in_this_build());
  line.add("--amgcl-strength", options.amgcl_strength, "AMGCL's eps_strong");
}

Configuration configure(const SolveOptions& options, const std::string& backend) {
  if (!options.peers.empty() && backend != "host") {
    throw ConfigurationError("--peer: peers run on the host only");
  }
  Configuration configuration;
  const Schema schema(library_entries(configuration));
  for (const std::string& setting : options.settings) {
    const std::size_t equals = setting.find('=');
    const SchemaEntry* entry = schema.find(setting.substr(0, equals));
    if (entry == nullptr || equals == std::string::npos) {
      throw ConfigurationError(fmt::format("--set {}: expected key=value with a key of the library", setting));
    }
    const auto idle = std::ranges::find(idle_keys, entry->key, &decltype(idle_keys)::value_type::first);
    if (idle != idle_keys.end()) {
      throw ConfigurationError(fmt::format("--set {}: it takes no effect here; {}", setting, idle->second));
    }
    entry->set(entry->parse(setting.substr(equals + 1)));
  }
  validate(configuration);
  return configuration;
}

double Times::total() const { return median(setup) + median(solve); }

template <MemorySpace S>
MultiVector<double, S> nodes_of(Context<S>& ctx, const GeneratedProblem& problem) {
  if (problem.pde != Pde::elasticity) {
    return {};
  }
  MultiVector<double, S> coordinates(ctx, static_cast<Index>(problem.grid.unknowns()), problem.grid.dimensions);
  grid_coordinates(ctx, problem, coordinates.view());
  return coordinates;
}

template <MemorySpace S>
OurSolves solve_repeatedly(Context<S>& ctx, const CsrMatrix<double, S>& A, const Configuration& configuration,
                           int repetitions, std::type_identity_t<MultiVectorView<const double, S>> coordinates) {
  MultiVector<double, S> b(ctx, A.rows);
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 1.0, b);
  OurSolves solves;
  const bool updates = configuration.solver.reuse != Reuse::none;
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    ctx.collect_times();
    ctx.profile().clear();
    fill<double>(ctx, 0.0, x);
    AmgSolver<double, S> solver(configuration.amg, configuration.solver);
    solver.setup(ctx, borrow(A), {}, coordinates);
    solves.result = solver.solve(ctx, std::as_const(b), x);
    solves.summary = solver.summary();
    if (updates) {
      solver.update_values(ctx, borrow(A));
    }
    ctx.collect_times();
    if (repetition >= 0) {
      solves.times.setup.push_back(ctx.profile().seconds("setup"));
      solves.times.solve.push_back(ctx.profile().seconds("solve"));
      if (updates) {
        solves.updates.push_back(ctx.profile().seconds("update"));
      }
    }
  }
  return solves;
}

std::vector<PeerSolves> solve_with_peers(const Ranks& ranks, const CsrMatrix<double, Host>& A, int threads,
                                         const SolverOptions& solver, const SolveOptions& options) {
  const auto wanted = [&](const char* peer) { return std::ranges::find(options.peers, peer) != options.peers.end(); };
  const double tolerance = solver.tolerance.value_or(default_tolerance<double>);
  std::vector<PeerSolves> all;
  if (wanted("hypre")) {
    PeerSolves solves = repeat("hypre", options.repetitions,
                               [&] { return solve_with_hypre(ranks, A, tolerance, solver.max_iterations); });
    if (ranks.rank() == 0) {
      all.push_back(std::move(solves));
    }
  }
  if (wanted("amgcl") && ranks.rank() == 0) {
    all.push_back(repeat("amgcl", options.repetitions, [&] {
      return solve_with_amgcl(A, threads, options.amgcl_strength, tolerance, solver.max_iterations);
    }));
  }
  return all;
}

nlohmann::json to_json(const Times& times, int iterations, double residual) {
  return {{"setup_seconds", median(times.setup)},
          {"solve_seconds", median(times.solve)},
          {"iterations", iterations},
          {"relative_residual", residual}};
}

template MultiVector<double, Host> nodes_of(Context<Host>&, const GeneratedProblem&);
template OurSolves solve_repeatedly(Context<Host>&, const CsrMatrix<double, Host>&, const Configuration&, int,
                                    MultiVectorView<const double, Host>);
#if AMGSOLVE_HAVE_CUDA
template MultiVector<double, Cuda> nodes_of(Context<Cuda>&, const GeneratedProblem&);
template OurSolves solve_repeatedly(Context<Cuda>&, const CsrMatrix<double, Cuda>&, const Configuration&, int,
                                    MultiVectorView<const double, Cuda>);
#endif

}  // namespace amgsolve::bench
