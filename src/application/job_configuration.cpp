#include "src/application/job_configuration.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "problems/manufactured.hpp"
#include "problems/right_hand_side.hpp"
#include "src/application/html_report.hpp"

namespace amgsolve {
namespace {

void validate_solution_file(const JobConfiguration& configuration) {
  const std::string extension = configuration.output.solution.extension().string();
  const bool generated = configuration.problem.matrix.empty();
  if (extension == ".vti" && !generated) {
    throw ConfigurationError(
        fmt::format("'output.solution' is '{}'; .vti needs the grid of 'problem.generate', a matrix from a file has "
                    "none: use .mtx, .npy or .amg",
                    configuration.output.solution.string()));
  }
  if (extension == ".vtu" && configuration.problem.coordinates.empty()) {
    throw ConfigurationError(
        fmt::format("'output.solution' is '{}'; .vtu needs 'problem.coordinates', where the nodes lie: use {}",
                    configuration.output.solution.string(), generated ? ".vti" : ".mtx, .npy or .amg"));
  }
  if (extension != ".mtx" && extension != ".npy" && extension != ".amg" && extension != ".vti" && extension != ".vtu") {
    throw ConfigurationError(
        fmt::format("'output.solution' is '{}'; its name must end in .mtx, .npy, .amg, .vti or .vtu",
                    configuration.output.solution.string()));
  }
}

}  // namespace

void validate(const JobConfiguration& configuration) {
  validate(static_cast<const Configuration&>(configuration));
  const ProblemConfiguration& problem = configuration.problem;
  const bool generated = problem.generate.grid.dimensions != 0;
  const auto is_rhs = [&](RightHandSide word) { return problem.rhs.file.empty() && problem.rhs.word == word; };
  const bool manufactured = is_rhs(RightHandSide::manufactured);
  const bool load = is_rhs(RightHandSide::load);
  if (!generated && problem.matrix.empty()) {
    throw ConfigurationError("nothing to solve: give 'problem.generate' with a 'grid', or 'problem.matrix'");
  }
  if (!generated && (manufactured || load)) {
    throw ConfigurationError(
        fmt::format("'problem.rhs' is '{}', which needs 'problem.generate'", manufactured ? "manufactured" : "load"));
  }
  if (generated) {
    problem.generate.validate();
  }
  if (manufactured) {
    validate_manufactured(problem.generate);
  }
  if (load) {
    validate_load(problem.generate);
  } else if (generated && problem.generate.body.load != Load::gravity) {
    throw ConfigurationError(fmt::format("problem.generate.load is {}, which 'problem.rhs' load takes",
                                         to_string(problem.generate.body.load)));
  }
  if (problem.near_nullspace.file.empty() && problem.near_nullspace.word == NearNullspace::rigid_body &&
      !problem.has_coordinates()) {
    throw ConfigurationError(
        "'problem.near_nullspace' is 'rigid_body', which needs 'problem.coordinates', or 'problem.generate' with pde "
        "elasticity");
  }
  if (!configuration.output.solution.empty()) {
    validate_solution_file(configuration);
  }
  if (!configuration.output.html.empty() && !has_html_report()) {
    throw ConfigurationError(
        "'output.html' needs Chart.js, which was not there when amgsolve was built (Debian's libjs-chart.js)");
  }
}

}  // namespace amgsolve
