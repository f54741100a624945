#include <stdexcept>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "problems/right_hand_side_evaluation.hpp"

namespace amgsolve {

void validate_load(const GeneratedProblem& problem) {
  if (problem.pde != Pde::elasticity) {
    throw ConfigurationError(format_text("problem.rhs is load, which needs problem.generate.pde elasticity; it is {}",
                                         to_string(problem.pde)));
  }
  if (problem.body.load != Load::gravity && problem.is_fixed_after()) {
    throw ConfigurationError(
        format_text("problem.generate.load is {}; boundary {} leaves no side free for it (clamped_face and neumann do)",
                    to_string(problem.body.load), to_string(problem.boundary)));
  }
}

RowRange checked_load_rows(const GeneratedProblem& problem, Index vector_rows, RowRange range) {
  problem.validate();
  validate_load(problem);
  const RowRange rows = problem.rows(range);
  if (vector_rows != rows.count()) {
    throw std::invalid_argument(format_text("the load has {} rows, the body {} unknowns", vector_rows, rows.count()));
  }
  return rows;
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
