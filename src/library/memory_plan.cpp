#include "src/library/memory_plan.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {
namespace {

std::string bytes_text(double bytes) { return format_bytes(static_cast<std::size_t>(bytes)); }

/// Two digits, rounded down.
double rounded_down(double x) {
  const double unit = std::pow(10.0, std::max(std::floor(std::log10(std::max(x, 1.0))) - 1.0, 0.0));
  return std::floor(x / unit) * unit;
}

std::vector<std::string> what_would_fit(const MemoryPlan& plan, SystemSize system, Configuration configuration,
                                        int threads) {
  std::vector<std::string> ways;
  const auto fits = [&](const SystemSize& other_system, const Configuration& other) {
    MemoryPlan other_plan = plan;
    other_plan.forecast = forecast_memory(other_system, other.amg, other.solver, threads);
    return other_plan.fits();
  };
  // Not in proportion: a dense factor grows with the square of its rows.
  double fitting_share = 0.0;
  for (double too_much = 1.0; (too_much - fitting_share) > 1e-3 * too_much && too_much * system.rows > 1.0;) {
    const double share = fitting_share + (too_much - fitting_share) / 2.0;
    (fits(system.part(share), configuration) ? fitting_share : too_much) = share;
  }
  // Fewer may take more, where they are not coarsened but factored.
  if (const double unknowns = rounded_down(system.rows * fitting_share);
      unknowns > 0.0 && fits(system.part(unknowns / system.rows), configuration)) {
    ways.push_back(format_text("some {:.0f} unknowns", unknowns));
  }
  const Index columns = system.columns;
  Index fitting = 0;
  for (Index too_many = columns; too_many - fitting > 1;) {
    system.columns = fitting + (too_many - fitting) / 2;
    (fits(system, configuration) ? fitting : too_many) = system.columns;
  }
  if (fitting > 0) {
    ways.push_back(format_count(fitting, "right-hand side") + " at a time");
  }
  system.columns = columns;
  const auto try_option = [&](auto& option, auto value, const char* words) {
    const auto before = std::exchange(option, value);
    if (before != value && fits(system, configuration)) {
      ways.emplace_back(words);
    }
    option = before;
  };
  try_option(configuration.solver.reuse, Reuse::none, "'solver.reuse: none'");
  try_option(configuration.solver.method, Method::bicgstab, "'solver.method: bicgstab'");
  // What has been measured was of another precision.
  system.is_mixed.reset();
  system.forget_stored_bytes();
  try_option(configuration.amg.precision, Precision::mixed, "'amg.precision: mixed'");
  return ways;
}

}  // namespace

void require_fit(const MemoryPlan& plan, const SystemSize& system, const Configuration& configuration, int threads) {
  if (plan.fits()) {
    return;
  }
  const MemoryForecast& forecast = plan.forecast;
  const std::vector<std::string> ways = what_would_fit(plan, system, configuration, threads);
  throw OutOfMemoryError(
      format_text("not enough memory: about {} needed{} (setup {}, solve {}{}), {} available: {}; what would fit: {}",
                  bytes_text(plan.needed()), plan.ranks > 1 ? format_text(" by each of {} ranks", plan.ranks) : "",
                  bytes_text(forecast.setup), bytes_text(forecast.solve),
                  plan.in_use > 0.0 ? format_text(", of which {} are there", bytes_text(plan.in_use)) : "",
                  format_bytes(plan.available.bytes), plan.available.limit,
                  ways.empty() ? "nothing of it" : format_text("{}", fmt::join(ways, ", or "))),
      static_cast<std::size_t>(plan.needed()), plan.available.bytes);
}

}  // namespace amgsolve
