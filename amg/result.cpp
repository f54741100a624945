#include "amg/result.hpp"

#include <cmath>

namespace amgsolve {

void SolveResult::take_worst_of_columns() {
  relative_residual = backward_error = 0.0;
  scaled.reset();
  for (const ColumnResult& column : columns) {
    relative_residual = worse_of(relative_residual, column.relative_residual);
    backward_error = worse_of(backward_error, column.backward_error);
    if (column.scaled && (!scaled || column.scaled->relative_residual > scaled->relative_residual)) {
      scaled = column.scaled;
    }
  }
  residual_history.back() = relative_residual;
  if (iterations > 0 && residual_history.front() > 0.0) {
    convergence_factor = std::pow(relative_residual / residual_history.front(), 1.0 / iterations);
  }
}

std::string describe(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return "converged";
    case StopReason::attained:
      return "converged as far as rounding errors allow: the tolerance is out of reach, the backward error at rounding "
             "level";
    case StopReason::stagnated:
      return "stagnated: the true residual falls no further";
    case StopReason::max_iterations:
      return "not converged within the iterations allowed";
    case StopReason::diverged:
      return "diverged: the residual grew by more than the condition number of any matrix that can be solved in double";
    case StopReason::indefinite_matrix:
      return "broke down: p'Ap is not positive, so the matrix is not positive definite, or so nearly singular that "
             "rounding errors decide";
    case StopReason::indefinite_preconditioner:
      return "broke down: r'Mr is not positive, so the preconditioner is not positive definite";
    case StopReason::exhausted:
      return "broke down: the Krylov space gives no new direction, so the matrix or the preconditioner is singular, or "
             "nearly so";
    case StopReason::singular:
      return "not converged: the matrix is singular, or nearly so, and the right-hand side is not in its range";
    case StopReason::not_finite:
      return "broke down: the iteration came upon NaN or infinity";
    case StopReason::interrupted:
      return "interrupted";
  }
  return {};
}

}  // namespace amgsolve
