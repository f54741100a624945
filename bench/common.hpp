#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <utility>
#include <vector>

#include "bench/command_line.hpp"
#include "core/context.hpp"
#include "problems/generated_problem.hpp"
#include "src/library/backend.hpp"

/// What the benchmarks share: the problems, where to run, and what a result says about the run.
namespace amgsolve::bench {

/// The names of the problems that every benchmark knows.
const std::vector<std::string>& problem_names();

/// The problem of that name. Throws ConfigurationError naming those that exist.
///   P1  Poisson 2D, 5-point, 1024²         P2  Poisson 2D, bilinear elements, 1024²
///   P3  Poisson 3D, 7-point, 101³          P4  Poisson 3D, trilinear elements, 101³
///   P6  anisotropic diffusion, 2D, bilinear elements, 512²: ε = 1e-3 at 30°
///   P7  diffusion 3D, 7-point, 101³: coefficient 1 and 1e4 in a checkerboard of blocks of 8³ cells
///   d2p5_4096  as P1, 4096²                d3p7_256  as P3, 256³
GeneratedProblem problem(const std::string& name);

/// What every benchmark lets its user choose.
struct RunOptions {
  std::vector<std::string> problems{"P1", "P2", "P3", "P4"};
  std::string backend = "host";  ///< or "cuda"
  int threads = 0;
  std::string json;
};

/// Adds --problem, --backend, --threads and --json, with what `options` holds as defaults.
/// @param problems  those to choose from
void add_run_options(CommandLine& line, RunOptions& options,
                     const std::vector<std::string>& problems = problem_names());

/// Calls run(ctx) with a new context of the backend. Throws DeviceError where there is no such backend.
template <class Run>
void with_context(const RunOptions& options, Run&& run) {
  if (choose_backend(options.backend == "cuda" ? Backend::cuda : Backend::host).backend == Backend::host) {
    Context<Host> ctx(options.threads);
    run(ctx);
    return;
  }
#if AMGSOLVE_HAVE_CUDA
  Context<Cuda> ctx;
  ctx.set_records_work(true);
  run(ctx);
#endif
}

/// The head of a JSON result: "benchmark", "backend", "date" (UTC), "commit" (AMGSOLVE_COMMIT in the environment, where
/// the sources lie outside their repository), "machine", "threads" or "device", "build".
nlohmann::json describe_run(const Context<Host>& ctx, const std::string& benchmark);
nlohmann::json describe_run(const Context<Cuda>& ctx, const std::string& benchmark);

/// Seconds, calls and least bytes of the phases by level.
nlohmann::json to_json(const Profile& profile);

/// Writes a result, indented, unless the path is empty. Throws OutputError where the file cannot be written.
void write_json(const std::string& path, const nlohmann::json& result);

}  // namespace amgsolve::bench
