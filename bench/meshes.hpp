#pragma once

#include "spmv/csr_matrix.hpp"

/// Stiffness matrices of Poisson's equation on unstructured meshes of the unit square or cube, discretised by linear
/// elements (P1), with Dirichlet boundaries, whose nodes are eliminated.
///
/// The meshes are no output of a mesh generator, but have what such meshes do to a sparse product: irregular rows and a
/// numbering without pattern. The nodes of a structured grid are moved at random by up to 0.2 (2D)
/// or 0.08 (3D) of the spacing in each direction, which turns no element inside out. Each square is cut along a
/// diagonal chosen at random; each cube into six tetrahedra, by cones from the node that comes first in a random order
/// of all nodes over the three opposite faces, each of which is cut through its first node: neighbours agree on the cut
/// of the face between them. The nodes of each block of 32² or 8³ neighbours are numbered at random, block after block.
namespace amgsolve::bench {

/// n × n unknowns, about 7 entries a row. The same for any number of threads.
template <class T>
CsrMatrix<T, Host> triangle_mesh_matrix(Context<Host>& ctx, Index n);

/// n × n × n unknowns, about 15 entries a row. The same for any number of threads.
template <class T>
CsrMatrix<T, Host> tetrahedron_mesh_matrix(Context<Host>& ctx, Index n);

}  // namespace amgsolve::bench
