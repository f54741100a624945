#include "src/application/job_configuration.hpp"

#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/manufactured.hpp"
#include "problems/right_hand_side.hpp"
#include "src/application/html_report.hpp"

namespace amgsolve {
namespace {

void validate_solution_file(const JobConfiguration& configuration) {
  if (configuration.output.solution.empty()) {
    return;
  }
  const std::string extension = configuration.output.solution.extension().string();
  const bool has_mesh = configuration.problem.has_mesh();
  const bool generated = configuration.problem.is_generated();
  if (extension == ".vti" && !generated) {
    throw ConfigurationError(format_text(
        "'output.solution' is '{}'; .vti needs the grid of 'problem.generate', a {} has none: use {}.mtx, .npy or .amg",
        configuration.output.solution.string(), has_mesh ? "mesh" : "matrix from a file", has_mesh ? ".vtu, " : ""));
  }
  if (extension == ".vtu" && !has_mesh && configuration.problem.coordinates.empty()) {
    throw ConfigurationError(
        format_text("'output.solution' is '{}'; .vtu needs 'problem.coordinates', where the nodes lie: use {}",
                    configuration.output.solution.string(), generated ? ".vti" : ".mtx, .npy or .amg"));
  }
  if (extension != ".mtx" && extension != ".npy" && extension != ".amg" && extension != ".vti" && extension != ".vtu") {
    throw ConfigurationError(
        format_text("'output.solution' is '{}'; its name must end in .mtx, .npy, .amg, .vti or .vtu",
                    configuration.output.solution.string()));
  }
}

void validate_mesh(const ProblemConfiguration& problem) {
  if (!problem.mesh.empty() && problem.domain != MeshDomain::none) {
    throw ConfigurationError("both 'problem.mesh' and 'problem.generate.domain' are given; only one can be solved on");
  }
  if (problem.domain != MeshDomain::none && !has_gmsh()) {
    throw ConfigurationError(
        format_text("'problem.generate.domain' is '{}', which takes Gmsh: it was not there when amgsolve was built "
                    "(Debian's libgmsh-dev)",
                    to_string(problem.domain)));
  }
  const bool has_word = problem.rhs.file.empty();
  if (has_word && problem.right_hand_side() == RightHandSide::manufactured) {
    if (!problem.conditions.is_empty()) {
      throw ConfigurationError(
          "'problem.rhs' is 'manufactured', which on a mesh brings its own conditions: leave 'problem.generate' "
          "without "
          "'fixed', 'flux', 'source' and 'regions'");
    }
  } else if (has_word && problem.right_hand_side() == RightHandSide::load && !problem.conditions.has_load()) {
    throw ConfigurationError(format_text(
        "nothing acts on the mesh: give 'problem.generate.source', for example {{{}: 1}}, 'problem.generate.flux', or "
        "values other than 0 in 'problem.generate.fixed'; or take another 'problem.rhs' than load",
        domain_group));
  } else if (problem.right_hand_side() != RightHandSide::load && problem.conditions.has_load()) {
    throw ConfigurationError(
        "'problem.rhs' is not load, without which 'problem.generate.source', 'problem.generate.flux' and values other "
        "than 0 in 'problem.generate.fixed' take no effect");
  }
  if (!problem.coordinates.empty()) {
    throw ConfigurationError("'problem.coordinates' is given, and the mesh knows where its nodes lie");
  }
  validate(problem.mesh_equation());
}

/// What is solved, and with which right-hand side.
void validate_equation(const ProblemConfiguration& problem) {
  const bool generated = problem.generate.grid.dimensions != 0;
  const auto is_rhs = [&](RightHandSide word) { return problem.rhs.file.empty() && problem.right_hand_side() == word; };
  const bool manufactured = is_rhs(RightHandSide::manufactured);
  const bool load = is_rhs(RightHandSide::load);
  if (!generated && problem.matrix.empty() && !problem.has_mesh()) {
    throw ConfigurationError(
        "nothing to solve: give 'problem.generate' with a 'grid', 'problem.mesh' or 'problem.matrix'");
  }
  if (problem.has_mesh()) {
    validate_mesh(problem);
  } else if (!generated && (manufactured || load)) {
    throw ConfigurationError(
        format_text("'problem.rhs' is '{}', which needs 'problem.generate'", manufactured ? "manufactured" : "load"));
  }
  if (generated) {
    problem.generate.validate();
  }
  if (generated && manufactured) {
    validate_manufactured(problem.generate);
  }
  if (generated && load) {
    validate_load(problem.generate);
  } else if (generated && problem.generate.body.load != Load::gravity) {
    throw ConfigurationError(
        format_text("problem.generate.load is {}, which takes effect with 'problem.rhs' load alone; write that, or the "
                    "load gravity",
                    to_string(problem.generate.body.load)));
  }
}

void validate_near_nullspace(const ProblemConfiguration& problem) {
  if (problem.near_nullspace.file.empty() && problem.near_nullspace.word == NearNullspace::rigid_body &&
      !problem.has_coordinates()) {
    throw ConfigurationError(
        "'problem.near_nullspace' is 'rigid_body', which needs 'problem.coordinates', or 'problem.generate' with pde "
        "elasticity");
  }
}

void validate_page(const JobConfiguration& configuration) {
  if (!configuration.output.html.empty() && !has_html_report()) {
    throw ConfigurationError(
        "'output.html' needs Chart.js, which was not there when amgsolve was built (Debian's libjs-chart.js)");
  }
}

}  // namespace

MeshEquation ProblemConfiguration::mesh_equation() const {
  MeshEquation equation{
      .pde = generate.pde, .coefficient = generate.coefficient.value, .body = generate.body, .conditions = conditions};
  if (rhs.file.empty() && right_hand_side() == RightHandSide::manufactured) {
    equation.conditions.fixed = {{boundary_group, {0.0}}};
  }
  return equation;
}

void validate(const JobConfiguration& configuration) {
  check_all({[&] { validate(static_cast<const Configuration&>(configuration)); },
             [&] { validate_equation(configuration.problem); }, [&] { validate_near_nullspace(configuration.problem); },
             [&] { validate_solution_file(configuration); }, [&] { validate_page(configuration); }});
}

}  // namespace amgsolve
