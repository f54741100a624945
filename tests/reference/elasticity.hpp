#pragma once

#include <array>
#include <vector>

#include "problems/generated_problem.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve::reference {

/// Plane strain in a rectangle of cells × bilinear elements with edges 1 and `height`, clamped where x = 0: Young's
/// modulus 1, Poisson's ratio 0.3. Two unknowns a node, node by node. Assembled naively.
CsrMatrix<double, Host> plane_strain(Context<Host>& ctx, std::array<Index, 2> cells, double height);

/// Its near-nullspace: the translations in x and y and, with a third column, the rotation.
MultiVector<double, Host> rigid_body_modes(Context<Host>& ctx, std::array<Index, 2> cells, double height,
                                           Index columns);

/// The stiffness matrix of a generated elastic body: element by element into a map, by σ = C ε in Voigt's notation.
/// q1 with 2 Gauss points per direction, which is exact; p1 with gradients from the inverse of each simplex's edges.
CsrMatrix<double, Host> assemble_elasticity(Context<Host>& ctx, const GeneratedProblem& problem);

/// Its load vector, by the same elements: weights of the basis functions over elements and over the side of largest x.
std::vector<double> assemble_load(const GeneratedProblem& problem);

}  // namespace amgsolve::reference
