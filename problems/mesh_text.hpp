#pragma once

#include <string>
#include <string_view>

#include "problems/mesh.hpp"

namespace amgsolve {

/// The mesh of a text, in which # begins a comment, at the beginning or the end of any line: the line
///
///     points dimensions elements nodes_per_element
///
/// a line with the coordinates of each point, and one with the nodes of each element, counted from 0. It has no groups.
/// Throws InputError "name:line: ..." for the first line that is wrong: no number, a node that is not there, anything
/// but triangles in the plane or tetrahedra in space, lines that are missing or too many, and what check_mesh() throws.
/// Parsed by all threads, by blocks of lines.
/// @param around  receives elements_of_nodes()
Mesh parse_mesh_text(Context<Host>& ctx, std::string_view text, const std::string& name, ElementsOfNodes& around);

}  // namespace amgsolve
