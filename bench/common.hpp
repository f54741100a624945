#pragma once

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "core/context.hpp"
#include "problems/generated_problem.hpp"

/// What the benchmarks share: the problems, how time and bandwidth are measured, and what a result says about the run.
namespace amgsolve::bench {

/// The problems that every benchmark knows: P1, P2, P3, P4, P6, P7.
const std::vector<std::string>& problem_names();

/// The problem of that name. Throws ConfigurationError naming those that exist.
///   P1  Poisson 2D, 5-point, 1024²         P2  Poisson 2D, bilinear elements, 1024²
///   P3  Poisson 3D, 7-point, 101³          P4  Poisson 3D, trilinear elements, 101³
///   P6  anisotropic diffusion, 2D, bilinear elements, 512²: ε = 1e-3 at 30°
///   P7  diffusion 3D, 7-point, 101³: coefficient 1 and 1e4 in a checkerboard of blocks of 8³ cells
GeneratedProblem problem(const std::string& name);

/// The median seconds of one call of run(), over calls that together last about `total_seconds`, at least 5 and at most
/// 200, after one that warms up. Caches keep what the call before left in them.
template <class Run>
double median_seconds(Run&& run, double total_seconds = 0.5) {
  using Clock = std::chrono::steady_clock;
  const auto time_one = [&] {
    const Clock::time_point start = Clock::now();
    run();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const double first = time_one();
  std::vector<double> seconds(static_cast<std::size_t>(std::clamp(total_seconds / first, 5.0, 200.0)));
  std::generate(seconds.begin(), seconds.end(), time_one);
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

/// Bytes per second, read and written, of copying an array where both together occupy `bytes`: what an operation with
/// as much data can hope for on this machine, with its caches.
double copy_bandwidth(Context<Host>& ctx, std::size_t bytes);

/// The head of a JSON result: "benchmark", "date" (UTC), "commit", "machine" and "threads", "build".
nlohmann::json describe_run(const Context<Host>& ctx, const std::string& benchmark);

/// Writes a result, indented. Throws InputError where the file cannot be written.
void write_json(const std::string& path, const nlohmann::json& result);

}  // namespace amgsolve::bench
