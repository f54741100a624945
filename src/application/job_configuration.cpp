#include "src/application/job_configuration.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "problems/manufactured.hpp"
#include "src/application/html_report.hpp"

namespace amgsolve {
namespace {

void validate_solution_file(const JobConfiguration& configuration) {
  const std::string extension = configuration.output.solution.extension().string();
  const bool generated = configuration.problem.matrix.empty();
  if (extension == ".vti" && !generated) {
    throw ConfigurationError(
        fmt::format("'output.solution' is '{}'; .vti needs the grid of 'problem.generate', a matrix from a file has "
                    "none: use .mtx or .npy",
                    configuration.output.solution.string()));
  }
  if (extension != ".mtx" && extension != ".npy" && extension != ".vti") {
    throw ConfigurationError(fmt::format("'output.solution' is '{}'; its name must end in .mtx, .npy or .vti",
                                         configuration.output.solution.string()));
  }
}

}  // namespace

void validate(const JobConfiguration& configuration) {
  validate(static_cast<const Configuration&>(configuration));
  const ProblemConfiguration& problem = configuration.problem;
  const bool generated = problem.generate.grid.dimensions != 0;
  const bool manufactured = problem.rhs.file.empty() && problem.rhs.word == RightHandSide::manufactured;
  if (!generated && problem.matrix.empty()) {
    throw ConfigurationError("nothing to solve: give 'problem.generate' with a 'grid', or 'problem.matrix'");
  }
  if (!generated && manufactured) {
    throw ConfigurationError("'problem.rhs' is 'manufactured', which needs 'problem.generate'");
  }
  if (generated) {
    problem.generate.validate();
  }
  if (manufactured) {
    validate_manufactured(problem.generate);
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
