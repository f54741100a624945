#include "src/application/job_configuration.hpp"

#include "core/format.hpp"
#include "core/mistakes.hpp"
#include "problems/manufactured.hpp"
#include "problems/right_hand_side.hpp"
#include "src/application/html_report.hpp"

namespace amgsolve {
namespace {

void check_solution_file(const JobConfiguration& configuration, Mistakes& mistakes) {
  if (configuration.output.solution.empty()) {
    return;
  }
  const std::string extension = configuration.output.solution.extension().string();
  const bool has_mesh = configuration.problem.has_mesh();
  const bool generated = configuration.problem.is_generated();
  if (extension == ".vti" && !generated) {
    mistakes.add(format_text(
        "'output.solution' is '{}'; .vti needs the grid of 'problem.generate', a {} has none: use {}.mtx, .npy or .amg",
        configuration.output.solution.string(), has_mesh ? "mesh" : "matrix from a file", has_mesh ? ".vtu, " : ""));
  }
  if (extension == ".vtu" && !has_mesh && configuration.problem.coordinates.empty()) {
    mistakes.add(format_text("'output.solution' is '{}'; .vtu needs 'problem.coordinates', where the nodes lie: use {}",
                             configuration.output.solution.string(), generated ? ".vti" : ".mtx, .npy or .amg"));
  }
  if (extension != ".mtx" && extension != ".npy" && extension != ".amg" && extension != ".vti" && extension != ".vtu") {
    mistakes.add(format_text("'output.solution' is '{}'; its name must end in .mtx, .npy, .amg, .vti or .vtu",
                             configuration.output.solution.string()));
  }
}

void check_mesh_problem(const ProblemConfiguration& problem, Mistakes& mistakes) {
  if (!problem.mesh.empty() && problem.domain != MeshDomain::none) {
    mistakes.add("both 'problem.mesh' and 'problem.generate.domain' are given; only one can be solved on");
  }
  if (problem.domain != MeshDomain::none && !has_gmsh()) {
    mistakes.add(
        format_text("'problem.generate.domain' is '{}', which takes Gmsh: it was not there when amgsolve was built "
                    "(Debian's libgmsh-dev)",
                    to_string(problem.domain)));
  }
  const bool has_word = problem.rhs.file.empty();
  if (has_word && problem.right_hand_side() == RightHandSide::manufactured) {
    if (!problem.conditions.is_empty()) {
      mistakes.add(
          "'problem.rhs' is 'manufactured', which on a mesh brings its own conditions: leave 'problem.generate' "
          "without 'fixed', 'flux', 'source' and 'regions'");
    }
  } else if (has_word && problem.right_hand_side() == RightHandSide::load && !problem.conditions.has_load()) {
    mistakes.add(format_text(
        "nothing acts on the mesh: give 'problem.generate.source', for example {{{}: 1}}, 'problem.generate.flux', or "
        "values other than 0 in 'problem.generate.fixed'; or take another 'problem.rhs' than load",
        domain_group));
  } else if (problem.right_hand_side() != RightHandSide::load && problem.conditions.has_load()) {
    mistakes.add(
        "'problem.rhs' is not load, without which 'problem.generate.source', 'problem.generate.flux' and values other "
        "than 0 in 'problem.generate.fixed' take no effect");
  }
  if (!problem.coordinates.empty()) {
    mistakes.add("'problem.coordinates' is given, and the mesh knows where its nodes lie");
  }
  mistakes.gather([&] { validate(problem.mesh_equation()); });
}

/// What is solved, and with which right-hand side.
void check_equation(const ProblemConfiguration& problem, Mistakes& mistakes) {
  const bool generated = problem.generate.grid.dimensions != 0 && !problem.has_mesh();
  const auto is_rhs = [&](RightHandSide word) { return problem.rhs.file.empty() && problem.right_hand_side() == word; };
  const bool manufactured = is_rhs(RightHandSide::manufactured);
  const bool load = is_rhs(RightHandSide::load);
  if (!generated && problem.matrix.empty() && !problem.has_mesh()) {
    mistakes.add("nothing to solve: give 'problem.generate' with a 'grid', 'problem.mesh' or 'problem.matrix'");
    return;
  }
  if (problem.has_mesh()) {
    check_mesh_problem(problem, mistakes);
  } else if (!generated && (manufactured || load)) {
    mistakes.add(
        format_text("'problem.rhs' is '{}', which needs 'problem.generate'", manufactured ? "manufactured" : "load"));
  }
  if (generated) {
    mistakes.gather([&] { problem.generate.validate(); });
  }
  if (generated && manufactured) {
    mistakes.gather([&] { validate_manufactured(problem.generate); });
  }
  if (generated && load) {
    mistakes.gather([&] { validate_load(problem.generate); });
  } else if (generated && problem.generate.pde == Pde::elasticity && problem.generate.body.load != Load::gravity) {
    mistakes.add(
        format_text("problem.generate.load is {}, which takes effect with 'problem.rhs' load alone; write that, or the "
                    "load gravity",
                    to_string(problem.generate.body.load)));
  }
}

void check_near_nullspace(const ProblemConfiguration& problem, Mistakes& mistakes) {
  if (problem.near_nullspace.file.empty() && problem.near_nullspace.word == NearNullspace::rigid_body &&
      !problem.has_coordinates()) {
    mistakes.add(
        "'problem.near_nullspace' is 'rigid_body', which needs 'problem.coordinates', or 'problem.generate' with pde "
        "elasticity");
  }
}

void check_page(const JobConfiguration& configuration, Mistakes& mistakes) {
  if (!configuration.output.html.empty() && !has_html_report()) {
    mistakes.add("'output.html' needs Chart.js, which was not there when amgsolve was built (Debian's libjs-chart.js)");
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
  Mistakes mistakes;
  mistakes.gather([&] { validate(static_cast<const Configuration&>(configuration)); });
  check_equation(configuration.problem, mistakes);
  check_near_nullspace(configuration.problem, mistakes);
  check_solution_file(configuration, mistakes);
  check_page(configuration, mistakes);
  mistakes.raise();
}

}  // namespace amgsolve
