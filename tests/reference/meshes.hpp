#pragma once

#include <string>
#include <vector>

#include "problems/mesh_assembly.hpp"
#include "problems/mesh_problem.hpp"

namespace amgsolve::reference {

/// The unit square or cube cut into n cells along each edge, and each of these into 2 triangles or 6 tetrahedra around
/// its diagonal; nodes inside are moved by up to `distortion` of a cell in each direction, and numbered at random.
/// Groups: "left" and "right", the sides at x = 0 and 1, and "near" and "far", the elements of cells below ½ in x and
/// above.
Mesh box_mesh(Context<Host>& ctx, int dimensions, Index n, double distortion);

/// The same as text.
std::string text_of(const Mesh& mesh);

/// The matrix and the load assembled naively, element by element, into dense arrays, from the groups of the mesh and
/// what is given to them.
struct DenseSystem {
  std::vector<std::vector<double>> A;
  std::vector<double> b;
};
DenseSystem assemble(const Mesh& mesh, const MeshEquation& equation);

}  // namespace amgsolve::reference
