#include "amg/convergence.hpp"

#include <algorithm>
#include <cmath>

namespace amgsolve {
namespace {

/// Growth of the residual over the smallest one seen that no converging iteration shows.
constexpr double divergence_factor = 1e6;

constexpr int not_yet = -1;

}  // namespace

Convergence::Convergence(const SolverOptions& options, std::span<const double> rhs_norms,
                         std::span<const double> residual_norms)
    : options_(options),
      references_(rhs_norms.begin(), rhs_norms.end()),
      relative_(rhs_norms.size()),
      column_iterations_(rhs_norms.size(), not_yet) {
  for (std::size_t j = 0; j < references_.size(); ++j) {
    if (references_[j] == 0.0) {
      references_[j] = residual_norms[j] > 0.0 ? residual_norms[j] : 1.0;
    }
  }
  add_iteration(residual_norms);
  smallest_ = history_.front();
}

double Convergence::worst(std::span<const double> residual_norms) {
  double worst = 0.0;
  for (std::size_t j = 0; j < references_.size(); ++j) {
    relative_[j] = residual_norms[j] / references_[j];
    // Not std::max: a NaN in any column must show.
    worst = relative_[j] <= worst ? worst : relative_[j];
  }
  return worst;
}

void Convergence::add_iteration(std::span<const double> residual_norms) {
  history_.push_back(worst(residual_norms));
  smallest_ = std::min(smallest_, history_.back());
  for (std::size_t j = 0; j < relative_.size(); ++j) {
    if (column_iterations_[j] == not_yet && converged(j)) {
      column_iterations_[j] = iterations();
    }
  }
}

void Convergence::correct(std::span<const double> residual_norms) {
  history_.back() = worst(residual_norms);
  smallest_ = history_.back();
  for (std::size_t j = 0; j < relative_.size(); ++j) {
    if (!converged(j)) {
      column_iterations_[j] = not_yet;
    }
  }
}

std::optional<StopReason> Convergence::stop_reason() const {
  if (!std::isfinite(relative_residual())) {
    return StopReason::not_finite;
  }
  if (relative_residual() <= options_.tolerance) {
    return StopReason::converged;
  }
  if (relative_residual() > divergence_factor * smallest_) {
    return StopReason::diverged;
  }
  if (iterations() >= options_.max_iterations) {
    return StopReason::max_iterations;
  }
  return std::nullopt;
}

SolveResult Convergence::result(StopReason reason, std::span<const double> true_residual_norms) const {
  SolveResult result;
  result.reason = reason;
  result.iterations = iterations();
  for (std::size_t j = 0; j < references_.size(); ++j) {
    const double relative = true_residual_norms[j] / references_[j];
    result.relative_residual = relative <= result.relative_residual ? result.relative_residual : relative;
  }
  result.residual_history = history_;
  result.column_iterations = column_iterations_;
  std::replace(result.column_iterations.begin(), result.column_iterations.end(), not_yet, iterations());
  if (iterations() > 0 && history_.front() > 0.0) {
    result.convergence_factor = std::pow(history_.back() / history_.front(), 1.0 / iterations());
  }
  return result;
}

}  // namespace amgsolve
