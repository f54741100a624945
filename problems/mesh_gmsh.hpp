#pragma once

#include <string_view>

#include "problems/mesh.hpp"
#include "problems/text_file.hpp"

/// Meshes by Gmsh (Geuzaine, Remacle 2009), whose library is loaded when it is needed. Not for several threads at a
/// time.
namespace amgsolve {

/// Whether the build knows Gmsh.
bool has_gmsh();

/// Whether a text begins as Gmsh's files do.
bool is_gmsh(std::string_view text);

/// The elements of highest dimension in a file of format 2.2 or 4.1, compressed or from a pipe as any text file, and
/// the physical groups, called by their names or, where they have none, by their numbers. Nodes keep the order of their
/// numbers in the file; those of no element, as centres of arcs are, are left out. Where all elements go the wrong way
/// around, all are turned.
/// @param around  receives elements_of_nodes()
/// Throws InputError naming the file where Gmsh cannot read it, for elements that are no triangles of 3 or tetrahedra
/// of 4 nodes, triangles in space, and as check_mesh() does with the numbers that the file has; also where the build
/// does not know Gmsh or its library cannot be loaded.
Mesh read_gmsh(Context<Host>& ctx, TextFile file, ElementsOfNodes& around);

/// Domains to make a mesh of.
///   square           [0, 1]², with groups left, right, bottom, top
///   cube             [0, 1]³, with left and right (x), front and back (y), bottom and top (z)
///   disk             of radius 1 about the origin
///   horseshoe        between radius ½ and 1 about the origin where y ≥ 0, with legs of length 1 below: inner, outer,
///                    left_end, right_end
///   plate_with_hole  the square without a disk of radius 0.2 in its middle: also hole
enum class MeshDomain { none, square, cube, disk, horseshoe, plate_with_hole };

const char* to_string(MeshDomain domain);

/// A mesh of edges about h long. Throws InputError as read_gmsh() does where Gmsh cannot do it, and where it would have
/// more than 2³¹ nodes.
Mesh generate_mesh(Context<Host>& ctx, MeshDomain domain, double h, ElementsOfNodes& around);

}  // namespace amgsolve
