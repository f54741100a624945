#pragma once

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/spgemm_peers.hpp"
#include "bench/spgemm_problems.hpp"
#include "spgemm/statistics.hpp"

/// Products of matrices so small that latency is all there is.
namespace amgsolve::bench {

/// Seconds from a call to the end of all its work, by the host's clock: the median of many.
template <MemorySpace S, class Run>
double latency(Context<S>& ctx, const Run& run) {
  constexpr int warm_up = 10;
  constexpr int calls = 100;
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int call = -warm_up; call < calls; ++call) {
    ctx.collect_times();
    ctx.profile().clear();
    const Clock::time_point start = Clock::now();
    run();
    ctx.synchronize();
    if (call >= 0) {
      seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
  }
  return median(std::move(seconds));
}

/// A A for random n × n matrices, n = 10, 20, … 100, with 4 entries a row and with n / 2; prints a line each.
/// @param algorithms  names and what they stand for
template <class T, MemorySpace S, class Algorithms>
nlohmann::json bench_small(Context<S>& ctx, const Algorithms& algorithms,
                           const std::vector<std::string>& cusparse_algorithms) {
  nlohmann::json rows = nlohmann::json::array();
  fmt::print("  {:<6}{:>8}{:>10}  total time in us\n", "n", "nnz", "products");
  for (const bool dense : {false, true}) {
    for (Index n = 10; n <= 100; n += 10) {
      const double density = dense ? 0.5 : 4.0 / n;
      const auto A =
          build_in<T>(ctx, [&](Context<Host>& host) { return random_sparse_matrix<T>(host, n, n, density, 1); });
      const SpgemmStatistics statistics = spgemm_statistics(ctx, A, A, multiply(ctx, A, A));
      fmt::print("  {:<6}{:>8}{:>10}", n, A.nnz(), statistics.products);
      nlohmann::json row = {{"n", n}, {"nnz", A.nnz()}, {"products", statistics.products}};
      const auto add = [&](const std::string& name, const auto& run) {
        try {
          const double seconds = latency(ctx, run);
          fmt::print("  {} {:.2f}", name, seconds * 1e6);
          row["seconds"][name] = seconds;
        } catch (const std::exception& error) {
          fmt::print("  {} failed", name);
          row["failures"][name] = error.what();
        }
      };
      for (const SpgemmPeer& peer : spgemm_peers(ctx, A, A, cusparse_algorithms)) {
        add(peer.name, peer.multiply);
      }
      for (const auto& [name, algorithm] : algorithms) {
        add(name, [&] { multiply(ctx, A, A, {.algorithm = algorithm}); });
      }
      fmt::print("\n");
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace amgsolve::bench
