#include "amg/coarse_solver.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve::detail {

namespace {

/// Of a pivot, 1 where nothing is: more are no rounding errors.
constexpr double most_lost = 0.1;

}  // namespace

double vanishing_pivot(Index rows, double epsilon) { return std::min(1000.0 * rows * epsilon, 1e-4); }

double negative_pivot(double epsilon) { return -std::min(1e8 * epsilon, most_lost); }

void check_pivot(Index rows, double pivot, double epsilon, const RoundingShare& rounding) {
  if (pivot >= negative_pivot(epsilon) || (rounding && pivot >= -std::min(rows * rounding(), most_lost))) {
    return;
  }
  throw BreakdownError(
      format_text("the matrix is not positive definite: factoring the coarsest level of {} rows met the pivot {:.3g}; "
                  "'solver.method' minres and gmres take indefinite matrices, too",
                  rows, pivot));
}

}  // namespace amgsolve::detail
