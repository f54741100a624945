#include "src/library/report.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "amg/convergence.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "src/library/status.hpp"

namespace amgsolve {

namespace {

/// Iterations at an even pace that one might still wait for.
constexpr double most_missing = 1000.0;

/// Fewer say nothing of the pace.
constexpr int fewest_iterations = 30;

bool takes_any_matrix(Method method) {
  return method == Method::gmres || method == Method::fgmres || method == Method::bicgstab;
}

/// Where rounding errors of single precision may be what kept a solve from the tolerance.
std::string advice_of_precision(const SolveResult& result, bool is_single) {
  const bool is_rounding = result.reason == StopReason::attained || result.reason == StopReason::stagnated ||
                           result.reason == StopReason::singular;
  return is_single && is_rounding ? "; this was single precision: double reaches further" : "";
}

/// The backward error of x that is mostly rounding errors, or null vectors.
double rounding_like(bool is_single) {
  return nearly_null((is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon()) /
                     2.0);
}

/// Where x is so much larger than b that it may be mostly a null vector, in the scaled system where that was judged.
std::string large_solution(const SolveResult& result, bool is_single) {
  const ScaledResidual judged = result.scaled.value_or(ScaledResidual{result.relative_residual, result.backward_error});
  if (result.reason != StopReason::attained ||
      judged.backward_error > rounding_like(is_single) * judged.relative_residual) {
    return {};
  }
  return format_text("; |A| |x| is {:.0e} times b: A may be singular, and the residual the part of b out of its range",
                     judged.relative_residual / judged.backward_error);
}

/// What may be quicker than MINRES, of which a hierarchy for a matrix with a raised diagonal may be the reason.
/// @param direct_rows  of a system that has not been solved directly
std::string advice_of_minres(std::int64_t direct_rows) {
  return "where the matrix is positive definite try 'solver.method' cg, else where the diagonal is of one sign gmres "
         "with 'solver.restart' at 100 or more: where many eigenvalues have the other sign it takes fewer iterations, "
         "in more memory; else " +
         directly(direct_rows);
}

/// The factor of an iteration in the second half of a solve: the first iterations are often quicker than what follows.
double recent_factor(const SolveResult& result) {
  const std::vector<double>& history = result.residual_history;
  const std::size_t half = history.size() / 2;
  return half > 0 ? std::pow(history.back() / history[half - 1], 1.0 / static_cast<double>(history.size() - half))
                  : result.convergence_factor;
}

/// Iterations that a solve lacked which used all up, at its pace; nothing where one would not wait for them, and where
/// the residual has not fallen, whatever the last iterations did.
std::optional<double> missing_iterations(const SolveResult& result, double tolerance) {
  const double missing = std::log(tolerance / result.relative_residual) / std::log(recent_factor(result));
  const bool has_grown = result.convergence_factor >= 1.0;
  const bool is_near =
      result.reason == StopReason::max_iterations && !has_grown && missing > 0.0 && missing < most_missing;
  return is_near ? std::optional(std::ceil(missing)) : std::nullopt;
}

/// What may be quicker with a method for any matrix.
std::string advice_of_slow_general(const SolveResult& result) {
  if (const std::optional<Hint> scaling = hint_of_lopsided_rows(result.lopsided)) {
    return format_text("{}; {}", scaling->seen, scaling->what_to_do);
  }
  return format_text(
      "try {}a larger 'solver.restart' and 'amg.smoother.degree', as 100 and 6, and for elastic "
      "bodies 'amg.block_size' and the nodes' 'problem.coordinates'",
      result.method == Method::bicgstab ? "'solver.method' fgmres with " : "");
}

/// What was seen after a slow solve, and what to try.
/// @param options      that may be why
/// @param direct_rows  of a system that has not been solved directly
std::string advice_if_slow(const SolveResult& result, const std::string& options, double tolerance,
                           std::int64_t direct_rows, bool has_product) {
  if (has_product && result.iterations >= slow_iterations) {
    return "; slow: the product that was given may not be much like the matrix that was set up: set up one that is";
  }
  const std::string slow =
      options.empty() ? std::string("; slow: ") : format_text("; slow: first of all try without {}; ", options);
  if (!result.slow) {
    // Of one that has not converged advice() tells about its rows.
    const bool converges = result.reason <= StopReason::attained ||
                           (missing_iterations(result, tolerance) && !hint_of_lopsided_rows(result.lopsided));
    const bool is_slow = converges && result.iterations >= slow_iterations;
    return is_slow && takes_any_matrix(result.method) ? slow + advice_of_slow_general(result) : "";
  }
  const std::optional<Hint> of_candidates = hint_of_candidates(*result.slow);
  if (result.method == Method::minres && !of_candidates) {
    return slow + advice_of_minres(direct_rows);
  }
  if (takes_any_matrix(result.method) && !of_candidates) {
    return slow + advice_of_slow_general(result) + or_directly(direct_rows);
  }
  const Hint hint = of_candidates ? *of_candidates : hint_of_slow_solve(*result.slow);
  return format_text("{}{}{}; {}{}", slow,
                     result.method == Method::amg ? "cycles alone, which 'solver.method' auto accelerates; " : "",
                     hint.seen, hint.what_to_do, or_directly(direct_rows));
}

/// What to try where a method that takes any matrix did not serve.
std::string advice_of_general(const SolveResult& result) {
  const Hint hint = hint_of_failed_general_solve(result.lopsided);
  return format_text("; {}: {}", hint.what_to_do, hint.seen);
}

/// What has a solve leave out the part of b that is out of the range of a symmetric matrix.
std::string null_vectors() {
  return "give the vectors that it takes to zero as 'problem.near_nullspace', of an elastic body 'problem.coordinates'";
}

/// "'solver.method' fcg with 'amg.precision' same", without what is so already.
std::string method_in_same_precision(const SolveResult& result, Method method, Precision precision) {
  const std::string of_method = result.method == method ? "" : format_text("'solver.method' {}", name(method));
  const std::string of_precision = precision == Precision::same ? "" : "'amg.precision' same";
  return of_method + (of_method.empty() || of_precision.empty() ? "" : " with ") + of_precision;
}

/// Which method to try where the one that ran came upon an indefinite matrix or preconditioner, or diverged.
std::string advice_of_other_method(const SolveResult& result, Precision precision) {
  switch (result.method) {
    case Method::gmres:
      return advice_of_general(result);
    case Method::minres:
    case Method::fgmres:
    case Method::bicgstab:
      return "; try " + method_in_same_precision(result, Method::gmres, precision);
    default: {
      const std::string of_definite = method_in_same_precision(result, Method::fcg, precision);
      return format_text("; {}'solver.method' minres or gmres, which take indefinite matrices, too{}",
                         of_definite.empty()
                             ? "try "
                             : format_text("where the matrix is positive definite try {}, else ", of_definite),
                         result.reason == StopReason::indefinite_matrix ? "; of a singular one " + null_vectors() : "");
    }
  }
}

/// Options that may be why a cycle diverges.
std::string advice_of_options(const SolveResult& result, const std::string& options) {
  const bool is_by_cycle =
      result.reason == StopReason::indefinite_preconditioner || result.reason == StopReason::diverged;
  return is_by_cycle && !options.empty() ? "; first of all try without " + options : "";
}

/// What to try after a solve that did not converge; begins where describe() ends.
/// @param direct_rows  of a system that has not been solved directly
/// @param precision    of the levels, as it was asked for
std::string advice(const SolveResult& result, double tolerance, std::int64_t direct_rows, bool is_single,
                   Precision precision) {
  if (result.reason > StopReason::stagnated && result.reason < StopReason::not_finite &&
      hint_of_lopsided_rows(result.lopsided)) {
    return advice_of_general(result);
  }
  switch (result.reason) {
    case StopReason::stagnated:
      if (result.backward_error > rounding_like(is_single) && takes_any_matrix(result.method)) {
        return advice_of_general(result);
      }
      return 2.0 * result.relative_residual < 1.0
                 ? format_text("; {:.1e} is within reach", 2.0 * result.relative_residual)
                 : "";
    case StopReason::max_iterations: {
      if (const std::optional<double> missing = missing_iterations(result, tolerance)) {
        return format_text(
            "; with some {:.0f} more in 'solver.max_iterations' it would, at the convergence factor of the last half, "
            "{:.3f}",
            *missing, recent_factor(result));
      }
      if (result.iterations < fewest_iterations) {
        return "; allow more of them: 'solver.max_iterations'";
      }
      if (takes_any_matrix(result.method)) {
        return advice_of_general(result);
      }
      if (result.slow) {
        return "";
      }
      return result.method == Method::minres
                 ? "; " + advice_of_minres(direct_rows)
                 : "; try a higher 'amg.smoother.degree', and for systems 'amg.block_size' and a near-nullspace";
    }
    case StopReason::diverged:
    case StopReason::indefinite_matrix:
    case StopReason::indefinite_preconditioner:
      return advice_of_other_method(result, precision);
    case StopReason::exhausted: {
      const std::string other = method_in_same_precision(result, Method::fgmres, precision);
      return format_text("; try {}, where it is neither of them", other.empty() ? "'solver.method' bicgstab" : other);
    }
    case StopReason::singular:
      return "; subtract from it its part in the null space of the matrix, or of its transpose where that is not the "
             "same (its mean, where these are the constants, as without Dirichlet conditions), fix the value of an "
             "unknown, or where the matrix is symmetric " +
             null_vectors();
    default:
      return {};
  }
}

/// Where a solve that was slow, or failed, may be better with a hierarchy of its own matrix.
std::string advice_of_reuse(const SolveResult& result) {
  const bool has_failed = result.reason > StopReason::attained && result.reason != StopReason::interrupted;
  return result.has_earlier_levels && (has_failed || result.iterations >= slow_iterations)
             ? "; the hierarchy was made for earlier values, see 'solver.reuse': another setup makes one for these"
             : "";
}

/// A part of b this small may be rounding.
constexpr double least_outside_range = 1e-12;

/// What was left out of the right-hand side of a singular system.
std::string left_out(const SolveResult& result) {
  if (result.outside_range < least_outside_range) {
    return {};
  }
  return format_text(
      "; the matrix is singular: the part of {} out of its range, {:.2g} of the norm{}, was left out",
      result.column_iterations.size() > 1 ? "the right-hand sides" : "the right-hand side", result.outside_range,
      result.column_iterations.size() > 1 ? format_text(" of number {}", result.outside_column + 1) : "");
}

/// What a solve that broke down was followed by.
std::string after_breakdown(const SolveResult& result) {
  std::string text;
  if (result.null_vectors_found > 0) {
    text = format_text(
        "; {} of the matrix {} found in what a first solve had come to: given as 'problem.near_nullspace', {} would "
        "spare that",
        format_count(result.null_vectors_found, "null vector"), result.null_vectors_found == 1 ? "was" : "were",
        result.null_vectors_found == 1 ? "it" : "they");
  }
  if (result.given_up > 0) {
    text += result.columns.size() > 1
                ? format_text(
                      "; of {} of {} right-hand sides x = 0 is handed over: what the iteration had come to was "
                      "worse",
                      result.given_up, result.columns.size())
                : "; x = 0 is handed over: what the iteration had come to was worse";
  }
  return text;
}

/// What is left of b in a norm in which rows far larger than others do not hide it.
std::string in_scaled_norm(const SolveResult& result) {
  const bool is_less = result.scaled && result.scaled->relative_residual < result.relative_residual;
  if (!is_less || result.reason == StopReason::interrupted) {
    return {};
  }
  return format_text(
      "; rows differ in size, and rounding errors of the largest may be more than b in others: with rows and columns "
      "scaled by 1 / sqrt(a_ii) the relative residual is {:.1e}",
      result.scaled->relative_residual);
}

/// What the norm of the residual does not show, because of rows that are far larger than others.
std::string hidden_by_norm(const SolveResult& result, double tolerance) {
  if (result.reason > StopReason::attained || result.jacobi_change.value_or(0.0) <= most_jacobi_change * tolerance) {
    return {};
  }
  return format_text(
      "; but rows far larger than others rule the norm of the residual, and a step of Jacobi would change x by {:.2g} "
      "of its norm: give rows that set values a diagonal of the size of the others', or scale rows and columns by "
      "1 / sqrt(a_ii)",
      *result.jacobi_change);
}

}  // namespace

void Report::set_result(SolveResult outcome, bool is_single, bool has_product) {
  status = status_of(outcome.reason);
  const bool may_be_direct =
      hierarchy && !hierarchy->levels.empty() &&
      (hierarchy->levels.size() > 1 || !hierarchy->coarse_solver.starts_with("dense"));  // which factored it
  const std::int64_t direct_rows =
      may_be_direct ? hierarchy->levels.front().rows : std::numeric_limits<std::int64_t>::max();
  message = describe(outcome.reason) + advice_of_options(outcome, options_of_cycle) +
            advice(outcome, tolerance, direct_rows, is_single, precision) + large_solution(outcome, is_single) +
            advice_of_precision(outcome, is_single) +
            advice_if_slow(outcome, options_of_slow_cycle, tolerance, direct_rows, has_product) + advice_of_reuse(outcome) +
            left_out(outcome) + after_breakdown(outcome) + in_scaled_norm(outcome) +
            hidden_by_norm(outcome, tolerance) +
            (outcome.is_negated ? "; the matrix has a negative diagonal: -A x = -b was solved" : "");
  result = std::move(outcome);
}

void Report::set_error(const std::exception& error) {
  status = status_of(error);
  message = error.what();
}

void Report::forget_outcome() {
  status.reset();
  message.clear();
  result.reset();
  ranks.clear();
}

template <MemorySpace S>
void Report::measure(Context<S>& ctx) {
  ctx.collect_times();
  profile = ctx.profile();
  peak_bytes = ctx.memory().peak_bytes();
}

template <MemorySpace S>
void Report::measure_after_failure(Context<S>& ctx) {
  try {
    measure(ctx);
  } catch (const DeviceError&) {
    profile = ctx.profile();  // as far as it was booked
    peak_bytes = ctx.memory().peak_bytes();
  }
}

template void Report::measure(Context<Host>&);
template void Report::measure_after_failure(Context<Host>&);
#if AMGSOLVE_HAVE_CUDA
template void Report::measure(Context<Cuda>&);
template void Report::measure_after_failure(Context<Cuda>&);
#endif

}  // namespace amgsolve
