#include <stdexcept>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "problems/mesh_assembly.hpp"
#include "problems/mesh_text.hpp"
#include "spmv/statistics.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/reference/hostile_matrix_market.hpp"

namespace amgsolve::fuzz {
namespace {

/// Of the mesh, fixed on its boundary, for unknowns of both kinds.
void assemble(Context<Host>& ctx, std::string_view bytes, Pde pde) {
  ElementsOfNodes around;
  Mesh mesh = parse_mesh_text(ctx, bytes, "hostile", around);
  MeshEquation equation;
  equation.pde = pde;
  equation.conditions.fixed = {{boundary_group, {0.0}}};
  equation.conditions.source = {{domain_group, {1.0}}};
  const MeshProblem problem = make_mesh_problem(ctx, std::move(mesh), std::move(around), equation);
  const CsrMatrix<double, Host> A = mesh_matrix(ctx, problem);
  MultiVector<double, Host> b(ctx, A.rows);
  mesh_load(ctx, problem, b.view());
  try {
    check_structure(ctx, A);
  } catch (const InputError& error) {
    throw std::logic_error(error.what());
  }
}

}  // namespace

bool meshes(std::string_view bytes) {
  return reference::accepts_hostile([&](Context<Host>& ctx) {
    try {
      for (const Pde pde : {Pde::poisson, Pde::elasticity}) {
        assemble(ctx, bytes, pde);
      }
    } catch (const ConfigurationError& error) {
      throw InputError(error.what());  // all nodes are on the boundary
    }
  });
}

}  // namespace amgsolve::fuzz
