#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/timer.hpp"
#include "spmv/blas1.hpp"

/// How benchmarks of both memory spaces measure: through the profile, which counts the host's clock or CUDA events.
namespace amgsolve::bench {

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// By the host's clock, for what has no profile: threads of their own, and peers.
inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Measurement {
  double seconds = 0.0;  ///< of one call, the median
  Work work;             ///< that one call books
  /// Phases directly inside the call, each the median of the calls, in the order in which they open.
  std::vector<std::pair<std::string, double>> phases{};
  std::vector<std::string> notes{};  ///< of all phases
};

/// Measures calls of run(), 5 to 200 that together last about half a second on the host, 5 to 20 on a device, after one
/// that warms up. prepare() goes before each on the same stream and is not timed; without it caches keep what the call
/// before left in them.
template <MemorySpace S, class Run, class Prepare>
Measurement measure(Context<S>& ctx, Run&& run, Prepare&& prepare) {
  constexpr double total_seconds = 0.5;
  constexpr double most_calls = std::is_same_v<S, Host> ? 200.0 : 20.0;
  const auto time_one = [&] {
    ctx.collect_times();
    ctx.profile().clear();
    prepare();
    {
      const ScopedTimer timer(ctx, "run");
      run();
    }
    ctx.collect_times();
    return ctx.profile().seconds("run");
  };
  const double first = time_one();
  const auto calls = static_cast<std::size_t>(std::clamp(total_seconds / first, 5.0, most_calls));
  std::vector<double> seconds;
  std::vector<std::vector<double>> node_seconds;
  while (seconds.size() < calls) {
    seconds.push_back(time_one());
    const std::vector<Profile::Node>& nodes = ctx.profile().nodes();
    node_seconds.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      node_seconds[i].push_back(nodes[i].seconds());
    }
  }
  Measurement result{median(std::move(seconds)), {}};
  const std::vector<Profile::Node>& nodes = ctx.profile().nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    result.work += nodes[i].work;
    result.notes.insert(result.notes.end(), nodes[i].notes.begin(), nodes[i].notes.end());
    if (nodes[i].parent >= 0 && nodes[static_cast<std::size_t>(nodes[i].parent)].phase == "run") {
      result.phases.emplace_back(nodes[i].phase, median(std::move(node_seconds[i])));
    }
  }
  return result;
}

template <MemorySpace S, class Run>
Measurement measure(Context<S>& ctx, Run&& run) {
  return measure(ctx, run, [] {});
}

/// Evicts from a device's cache what was there before, by reading several times what it holds: dirty lines that a write
/// leaves would be written back at the expense of the next run. Does nothing on the host.
template <MemorySpace S>
class CacheFlush {
 public:
  explicit CacheFlush(Context<S>& ctx) : values_(ctx, std::is_same_v<S, Host> ? 0 : 1 << 25), sum_(ctx, 1) {
    fill<double>(ctx, 0.0, values_);
  }

  void flush(Context<S>& ctx) {
    if constexpr (std::is_same_v<S, Cuda>) {
      dot<double>(ctx, values_, values_, sum_);
    }
  }

 private:
  MultiVector<double, S> values_;  ///< 256 MB
  Buffer<double, S> sum_;
};

/// Bytes per second, read and written, of copying an array. On the host both together occupy `bytes`: what an operation
/// with as much data can hope for on this machine, with its caches. On a device 4 GB, past its cache.
template <MemorySpace S>
double copy_bandwidth(Context<S>& ctx, std::size_t bytes) {
  constexpr std::size_t device_bytes = std::size_t{1} << 32;
  const std::size_t copied = std::is_same_v<S, Host> ? bytes : device_bytes;
  const auto n = static_cast<Index>(copied / (2 * sizeof(double)));
  MultiVector<double, S> from(ctx, n);
  MultiVector<double, S> to(ctx, n);
  fill<double>(ctx, 1.0, from);
  fill<double>(ctx, 0.0, to);
  const double seconds = measure(ctx, [&] { copy<double, double>(ctx, from, to); }).seconds;
  return static_cast<double>(from.bytes() + to.bytes()) / seconds;
}

}  // namespace amgsolve::bench
