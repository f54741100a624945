#pragma once

#include <array>

#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve::reference {

/// Plane strain in a rectangle of cells × bilinear elements with edges 1 and `height`, clamped where x = 0: Young's
/// modulus 1, Poisson's ratio 0.3. Two unknowns a node, node by node. Assembled naively.
CsrMatrix<double, Host> plane_strain(Context<Host>& ctx, std::array<Index, 2> cells, double height);

/// Its near-nullspace: the translations in x and y and, with a third column, the rotation.
FatVector<double, Host> rigid_body_modes(Context<Host>& ctx, std::array<Index, 2> cells, double height, Index columns);

}  // namespace amgsolve::reference
