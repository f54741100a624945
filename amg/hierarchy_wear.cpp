#include "amg/hierarchy_wear.hpp"

#include <algorithm>
#include <iterator>

#include "core/format.hpp"

namespace amgsolve {
namespace {

double reduction_in(const std::vector<double>& history) { return history.back() / history.front(); }

/// Iterations after which the residual stayed below that part of the first one; all where it ended there, or above.
int iterations_to(const std::vector<double>& history, double reduction) {
  const auto iterations = std::ssize(history) - 1;
  if (reduction <= reduction_in(history)) {
    return static_cast<int>(iterations);
  }
  const auto above =
      std::find_if(history.rbegin(), history.rend(), [&](double norm) { return norm > reduction * history.front(); });
  return static_cast<int>(history.rend() - above);
}

}  // namespace

void HierarchyWear::take(const SolveResult& solve, bool has_new_values, bool has_own_end) {
  const std::vector<double>& history = solve.residual_history;
  if (solve.iterations == 0) {
    return;
  }
  if (first_history_.empty() && !has_new_values) {
    first_history_ = history;
  }
  const bool has_ended_itself =
      has_own_end && (solve.reason == StopReason::max_iterations || solve.reason == StopReason::stagnated);
  has_failed_ = solve.reason > StopReason::attained && !has_ended_itself;
  reduction_ = reduction_in(history);
  if (!first_history_.empty()) {
    reduction_ = std::max(reduction_, reduction_in(first_history_));
    first_iterations_ = iterations_to(first_history_, reduction_);
  }
  last_iterations_ = iterations_to(history, reduction_);
}

bool HierarchyWear::is_outdated(double factor) const {
  const int first = std::max(first_iterations_, 1);
  return has_failed_ || (last_iterations_ > factor * first && last_iterations_ > first + 1);
}

std::string HierarchyWear::reason() const {
  if (has_failed_) {
    return "the last solve did not converge";
  }
  return format_text("the last solve reduced the residual to {:.1e} of the first one in {} iterations, {}", reduction_,
                     last_iterations_,
                     first_history_.empty() ? "and none was by the values of the setup"
                                            : format_text("the first one after a setup in {}", first_iterations_));
}

}  // namespace amgsolve
