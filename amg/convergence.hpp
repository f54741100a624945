#pragma once

#include <optional>
#include <span>
#include <vector>

#include "amg/options.hpp"
#include "amg/result.hpp"

namespace amgsolve {

/// Keeps the books of an iteration for several right-hand sides: what counts as converged, the history, each column's
/// iterations, and when to give up.
class Convergence {
 public:
  /// @param rhs_norms       ‖b_j‖
  /// @param residual_norms  ‖b_j − A x_j‖ of the initial guess; the reference where b_j = 0
  Convergence(const SolverOptions& options, std::span<const double> rhs_norms, std::span<const double> residual_norms);

  /// Books the residual norms after one more iteration.
  void add_iteration(std::span<const double> residual_norms);

  /// Replaces the newest residual by the true one.
  void correct(std::span<const double> residual_norms);

  /// Why the iteration must end now; nothing while it must not.
  std::optional<StopReason> stop_reason() const;

  bool converged(std::size_t column) const { return relative_[column] <= options_.tolerance; }
  int iterations() const { return static_cast<int>(history_.size()) - 1; }
  double relative_residual() const { return history_.back(); }

  /// The result, with relative_residual from the norms given.
  SolveResult result(StopReason reason, std::span<const double> true_residual_norms) const;

 private:
  double worst(std::span<const double> residual_norms);

  SolverOptions options_;
  std::vector<double> references_;
  std::vector<double> relative_;  ///< newest relative residual of each column
  std::vector<double> history_;
  std::vector<int> column_iterations_;
  double smallest_ = 0.0;
};

}  // namespace amgsolve
