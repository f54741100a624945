#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "problems/gmsh_model.hpp"
#include "problems/mesh_assembly.hpp"
#include "problems/mesh_text.hpp"
#include "spmv/statistics.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/reference/hostile_matrix_market.hpp"

namespace amgsolve::fuzz {
namespace {

constexpr std::string_view of_gmsh = "gmsh";

/// Nodes, elements and groups as bytes choose; a model as Gmsh may send it, where numbers mean nothing.
GmshModel model_of(std::string_view text) {
  Bytes bytes(text);
  GmshModel model;
  model.dimensions = 2 + static_cast<int>(bytes.below(2));
  const auto members = [&](std::size_t each) {
    std::vector<std::size_t> result(bytes.below(32) * each);
    std::ranges::generate(result, [&] { return bytes.below(24); });
    return result;
  };
  const auto corners = static_cast<std::size_t>(model.dimensions) + 1;
  model.nodes = members(1);
  model.coordinates = bytes.numbers<double>(3 * model.nodes.size());
  model.corners = members(corners);
  for (std::size_t e = 0; e < model.corners.size() / corners; ++e) {
    model.elements.push_back(e + bytes.below(3));
  }
  for (std::size_t left = bytes.below(4); left > 0; --left) {
    const int dimension = static_cast<int>(bytes.below(static_cast<std::size_t>(model.dimensions) + 1));
    std::string name(bytes.word());
    model.groups.push_back({std::move(name), dimension,
                            members(dimension == model.dimensions ? 1 : static_cast<std::size_t>(dimension) + 1)});
  }
  if (model.elements.empty()) {
    throw InputError("Gmsh sends no mesh without elements");
  }
  return model;
}

/// Of the mesh, fixed on its boundary, for unknowns of both kinds.
void assemble(Context<Host>& ctx, std::string_view bytes, Pde pde) {
  ElementsOfNodes around;
  Mesh mesh = bytes.starts_with(of_gmsh) ? mesh_of_model(ctx, model_of(bytes.substr(of_gmsh.size())), "hostile", around)
                                         : parse_mesh_text(ctx, bytes, "hostile", around);
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
