#include "amg/coarse_solver.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve::detail {

double vanishing_pivot(Index rows, double epsilon) { return std::min(1000.0 * rows * epsilon, 1e-4); }

double negative_pivot(double epsilon) { return -std::min(1e8 * epsilon, 0.1); }

void throw_negative_pivot(Index rows, double pivot) {
  throw BreakdownError(
      format_text("the matrix is not positive definite: factoring the coarsest level of {} rows met the pivot {:.3g}; "
                  "'solver.method' minres and gmres take indefinite matrices, too",
                  rows, pivot));
}

}  // namespace amgsolve::detail
