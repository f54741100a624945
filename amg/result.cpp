#include "amg/result.hpp"

namespace amgsolve {

std::string describe(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return "converged";
    case StopReason::max_iterations:
      return "not converged within the iterations allowed";
    case StopReason::stagnated:
      return "stagnated: rounding errors keep the true residual from falling to the tolerance";
    case StopReason::diverged:
      return "diverged: the residual grew by more than a million";
    case StopReason::not_finite:
      return "broke down: the residual is NaN or infinite";
    case StopReason::indefinite_matrix:
      return "broke down: p'Ap is not positive, so the matrix is not positive definite";
    case StopReason::indefinite_preconditioner:
      return "broke down: r'Mr is not positive, so the preconditioner is not positive definite";
  }
  return {};
}

}  // namespace amgsolve
