#include "amg/coarse_solver.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"

namespace amgsolve::detail {

void throw_negative_pivot(Index rows, double pivot) {
  throw BreakdownError(
      fmt::format("the matrix is not positive definite: factoring the coarsest level of {} rows met the pivot {:.3g}",
                  rows, pivot));
}

}  // namespace amgsolve::detail
