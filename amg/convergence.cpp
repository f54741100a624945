#include "amg/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amgsolve {
namespace {

/// Rounding the exact solution leaves a backward error of some tenths of u, and never this fraction of it.
constexpr double least_rounding = 0.05;

/// Rounds that may follow for what the norm of the residual does not show.
constexpr int most_times_for_more = 3;

/// The residual norm relative to its reference, finite where it is.
double relative(double residual_norm, double reference) {
  const double quotient = residual_norm / reference;
  return std::isinf(quotient) && std::isfinite(residual_norm) ? std::numeric_limits<double>::max() : quotient;
}

}  // namespace

Convergence::Convergence(const SolverOptions& options, std::span<const double> rhs_norms, double unit_roundoff,
                         double rounding_level)
    : options_(options), unit_roundoff_(unit_roundoff), rounding_level_(rounding_level), columns_(rhs_norms.size()) {
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    columns_[j].reference = rhs_norms[j];
    columns_[j].tolerance = *options_.tolerance;
  }
}

bool Convergence::is_at_rounding_level(double relative_residual, double backward_error,
                                       const std::optional<ScaledResidual>& scaled) const {
  const auto is_there = [&](double residual, double error) {
    return error <= rounding_level_ && residual <= most_left_over;
  };
  return is_there(relative_residual, backward_error) ||
         (scaled && is_there(scaled->relative_residual, scaled->backward_error));
}

bool Convergence::is_of_singular(const Column& column) const {
  const double rounding_like = std::max(rounding_level_, nearly_null(unit_roundoff_));
  const auto is_one = [&](double residual, double error) {
    return error <= rounding_like && residual > most_left_over;
  };
  return is_one(column.relative_residual, column.backward_error) &&
         (!column.scaled || is_one(column.scaled->relative_residual, column.scaled->backward_error));
}

bool Convergence::has_attained(const Column& column, bool gained) const {
  const double wanted = column.backward_error * (column.tolerance / column.relative_residual);
  return is_at_rounding_level(column.relative_residual, column.backward_error, column.scaled) &&
         (!gained || wanted < least_rounding * unit_roundoff_);
}

double Convergence::worst_residual() const {
  double worst = 0.0;
  for (const Column& column : columns_) {
    worst = worse_of(worst, column.relative_residual);
  }
  return worst;
}

std::optional<StopReason> Convergence::verdict(const Column& column) const {
  if (has_converged(column)) {
    return StopReason::converged;
  }
  if (!std::isfinite(column.relative_residual)) {
    return StopReason::not_finite;
  }
  const bool gained = column.relative_residual <= column.round_start / 2.0;
  if (has_attained(column, gained)) {
    return options_.stopping == Stopping::attainable ? StopReason::attained : StopReason::stagnated;
  }
  const bool used_up = iterations() >= options_.max_iterations;
  if (gained) {
    return used_up ? std::optional(StopReason::max_iterations) : std::nullopt;
  }
  if (is_of_singular(column)) {  // of an x that a round has not brought nearer
    return StopReason::singular;
  }
  const StopReason why = column.breakdown.value_or(used_up ? StopReason::max_iterations : StopReason::stagnated);
  // A method tells by what is left of the round.
  const bool is_solved = left_over(column.relative_residual, column.scaled) <= most_left_over;
  return why == StopReason::singular && is_solved ? StopReason::stagnated : why;
}

std::optional<StopReason> Convergence::judge(std::span<const Judgement> columns) {
  const bool is_first = history_.empty();
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    Column& column = columns_[j];
    if (is_first) {
      column.reference = column.reference > 0.0           ? column.reference
                         : columns[j].residual_norm > 0.0 ? columns[j].residual_norm
                                                          : 1.0;
      column.round_start = std::numeric_limits<double>::infinity();
    }
    column.relative_residual = relative(columns[j].residual_norm, column.reference);
    column.backward_error = columns[j].backward_error;
    column.scaled = columns[j].scaled;
  }
  if (is_first) {
    history_.push_back(worst_residual());
  } else {
    history_.back() = worst_residual();
  }
  std::optional<StopReason> reason = StopReason::converged;
  for (Column& column : columns_) {
    std::optional<StopReason> own = verdict(column);
    if (own && column.relative_residual <= *options_.tolerance) {
      own = StopReason::converged;
    }
    if (own == StopReason::converged || own == StopReason::attained) {
      column.iterations = column.iterations.value_or(iterations());
    } else {
      column.iterations.reset();
    }
    reason = reason && own ? std::optional(std::max(*reason, *own)) : std::nullopt;
    column.round_start = column.mark = column.relative_residual;
    column.marked_at = iterations();
    column.is_finished = column.is_over = own.has_value();
    if (!own) {
      column.breakdown.reset();
    }
  }
  return reason;
}

bool Convergence::asks_for_more(std::span<const double> jacobi_changes) {
  const double most = most_jacobi_change * *options_.tolerance;
  const bool may_go_on = times_asked_for_more_ < most_times_for_more && iterations() < options_.max_iterations;
  bool goes_on = false;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    Column& column = columns_[j];
    column.jacobi_change = jacobi_changes[j];
    if (may_go_on && jacobi_changes[j] > most) {
      column.tolerance = 0.1 * most / jacobi_changes[j] * column.relative_residual;
      column.is_finished = column.is_over = false;
      column.breakdown.reset();
      goes_on = true;
    }
  }
  times_asked_for_more_ += goes_on ? 1 : 0;
  return goes_on;
}

bool Convergence::add_iteration(std::span<const StepOutcome> columns) {
  bool is_over = true;
  const int iteration = iterations() + 1;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    Column& column = columns_[j];
    column.relative_residual = relative(columns[j].residual_norm, column.reference);
    if (has_converged(column)) {
      column.iterations = column.iterations.value_or(iteration);
    }
    const bool has_more_to_gain =
        column.relative_residual > std::max(column.tolerance, unit_roundoff_ * column.round_start) &&
        std::isfinite(column.relative_residual);
    if (has_more_to_gain && !column.breakdown) {
      column.breakdown = columns[j].breakdown;
    }
    column.is_over = column.is_finished || !has_more_to_gain || column.breakdown;
    if (column.relative_residual <= column.mark / 2.0) {
      column.mark = column.relative_residual;
      column.marked_at = iteration;
    }
    is_over = is_over && column.is_over;
  }
  history_.push_back(worst_residual());
  return is_over || iteration >= options_.max_iterations;
}

bool Convergence::has_stalled() const {
  return options_.stopping != Stopping::strict &&
         std::ranges::any_of(columns_, [this](const Column& column) { return !column.is_over && stalls(column); });
}

bool Convergence::judge_stall(std::span<const Judgement> columns) {
  bool may_end = true;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    Column& column = columns_[j];
    column.marked_at = stalls(column) ? iterations() : column.marked_at;
    may_end = may_end && (column.is_over || is_worn(column) ||
                          is_at_rounding_level(relative(columns[j].residual_norm, column.reference),
                                               columns[j].backward_error, columns[j].scaled));
  }
  return may_end;
}

SolveResult Convergence::result(StopReason reason) const {
  SolveResult result;
  result.reason = reason;
  result.iterations = iterations();
  for (const Column& column : columns_) {
    result.columns.push_back({column.relative_residual, column.backward_error, column.scaled});
    if (column.jacobi_change) {
      result.jacobi_change = worse_of(result.jacobi_change.value_or(0.0), *column.jacobi_change);
    }
    result.column_iterations.push_back(column.iterations.value_or(iterations()));
  }
  result.residual_history = history_;
  result.take_worst_of_columns();
  return result;
}

}  // namespace amgsolve
