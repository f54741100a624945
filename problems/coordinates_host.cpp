#include <stdexcept>

#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "problems/coordinates_rows.hpp"

namespace amgsolve {

RowRange checked_points(const GeneratedProblem& problem, Index rows, Index columns, RowRange range) {
  problem.validate();
  const RowRange points = problem.grid.rows(range);
  if (rows != points.count() || columns != problem.grid.dimensions) {
    throw std::invalid_argument(format_text("coordinates of {} x {} for {} points in {} dimensions", rows, columns,
                                            points.count(), problem.grid.dimensions));
  }
  return points;
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
