#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "amg/options.hpp"
#include "amg/result.hpp"

namespace amgsolve {

/// An x that leaves more than this of b where no more can be gained is none: A is singular to working precision.
inline constexpr double most_left_over = 1e-2;

/// ‖A x‖ / ‖|A| |x|‖ of an x that no more than this tells from a null vector: A is that close to a singular matrix.
/// @param unit_roundoff  of the precision of x
inline double nearly_null(double unit_roundoff) { return std::pow(unit_roundoff, 2.0 / 3.0); }

/// Without a residual halved in so many iterations a solve may have reached what rounding errors allow.
inline constexpr int stalled_iterations = 50;

/// Unit roundoffs, of the residual that a round began with, to which a recurrence that stalls may have been worn down.
inline constexpr double roundoffs_of_recurrence = 1e3;

/// A step of Jacobi that would change x by more than this, relative to the tolerance, shows equations that the norm of
/// the residual does not: those beside rows of far larger size, as of penalties. Of 103 converged solves whose
/// coefficients jump by up to 1e8, and of real matrices, with right-hand sides of all kinds, 100 had less than 100, and
/// three more than 700, of loads on a single stiff cell, x of two of which was wrong.
inline constexpr double most_jacobi_change = 1e3;

/// How a step of a method left a right-hand side.
struct StepOutcome {
  double residual_norm = 0.0;             ///< by the method's recurrence
  std::optional<StopReason> breakdown{};  ///< why the method cannot improve this column further
};

/// What is true of a right-hand side's x.
struct Judgement {
  double residual_norm = 0.0;   ///< ‖b − A x‖
  double backward_error = 0.0;  ///< ‖b − A x‖ / ‖|b| + |A| |x|‖
  std::optional<ScaledResidual> scaled{};
};

/// Keeps the books of an iteration for several right-hand sides, each apart from the others: what counts as converged,
/// the history, and when to give up. The iteration goes in rounds, each of steps from a true residual to the next one:
/// a recurrence cannot be trusted below rounding errors of the residual that it began with.
class Convergence {
 public:
  /// @param options         with a tolerance
  /// @param rhs_norms       ‖b_j‖; where that is 0 the first residual takes its place
  /// @param unit_roundoff   u of the precision of x
  /// @param rounding_level  the backward error below which x is as good as the exact solution rounded
  Convergence(const SolverOptions& options, std::span<const double> rhs_norms, double unit_roundoff,
              double rounding_level);

  /// Takes the truth, before the first round and after each. Returns why no other round should follow; nothing while
  /// one may help: a column that has neither converged nor reached rounding level, and whose residual was halved.
  std::optional<StopReason> judge(std::span<const Judgement> columns);

  /// Takes how far a step of Jacobi would change each x, relative to its norm, once all have converged. Returns whether
  /// another round is to follow: for the columns that it would change too far, with a smaller tolerance, which they
  /// need not meet.
  bool asks_for_more(std::span<const double> jacobi_changes);

  /// Books a step. Returns whether the round must end: no column has any more to gain in it, or the iterations are
  /// used up.
  bool add_iteration(std::span<const StepOutcome> columns);

  /// Whether a column that has more to gain has gained nothing for stalled_iterations, since judge_stall() for as many
  /// again: time to ask what is true of it. Never where a tolerance is to be met in any case.
  bool has_stalled() const;

  /// Takes the truth where a round has stalled. Returns whether it may as well end: all columns that it is not over for
  /// are at rounding level, or have left of the round what may be rounding errors of its beginning, as of a singular
  /// system whose recurrence has gathered them in the null space.
  bool judge_stall(std::span<const Judgement> columns);

  /// Whether a column has nothing more to gain: in the round, by its last step, or at all, as last judged.
  bool is_over(std::size_t column) const { return columns_[column].is_over; }

  int iterations() const { return static_cast<int>(history_.size()) - 1; }
  double relative_residual() const { return history_.back(); }

  /// The outcome as last judged.
  SolveResult result(StopReason reason) const;

 private:
  struct Column {
    double tolerance = 0.0;  ///< what was asked for, or less: see asks_for_more()
    std::optional<double> jacobi_change{};
    double reference = 0.0;
    double relative_residual = 0.0;  ///< the newest
    double backward_error = 0.0;
    std::optional<ScaledResidual> scaled{};
    double round_start = 0.0;  ///< the relative residual that the round began with
    double mark = 0.0;         ///< the one that is to be halved, and when it came
    int marked_at = 0;
    std::optional<StopReason> breakdown{};
    std::optional<int> iterations{};  ///< until it converged
    bool is_finished = false;         ///< as last judged
    bool is_over = false;             ///< or by its last step
  };

  static bool has_converged(const Column& column) { return column.relative_residual <= column.tolerance; }
  bool is_at_rounding_level(double relative_residual, double backward_error,
                            const std::optional<ScaledResidual>& scaled) const;
  /// Whether no more than rounding tells x from a null vector, and b is not solved for, in whatever units.
  bool is_of_singular(const Column& column) const;
  /// Whether the recurrence has got so far that rounding errors of the residual it began with may be what is left.
  bool is_worn(const Column& column) const {
    return column.relative_residual <= roundoffs_of_recurrence * unit_roundoff_ * column.round_start;
  }
  bool stalls(const Column& column) const { return iterations() - column.marked_at >= stalled_iterations; }
  /// Whether x is at rounding level, and the tolerance out of reach: no x comes near it, or the last round did not.
  bool has_attained(const Column& column, bool gained) const;
  std::optional<StopReason> verdict(const Column& column) const;
  double worst_residual() const;

  SolverOptions options_;
  double unit_roundoff_;
  double rounding_level_;
  std::vector<Column> columns_;
  std::vector<double> history_;
  int times_asked_for_more_ = 0;
};

}  // namespace amgsolve
