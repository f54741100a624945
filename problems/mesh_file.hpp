#pragma once

#include <filesystem>

#include "problems/mesh.hpp"

namespace amgsolve {

/// The mesh of a file: of Gmsh where it begins so (problems/mesh_gmsh.hpp), else a text, plain or compressed
/// (problems/mesh_text.hpp).
/// @param around  receives elements_of_nodes()
/// Phases: "read" > "load", "parse". Throws InputError, OutOfMemoryError.
Mesh read_mesh(Context<Host>& ctx, const std::filesystem::path& path, ElementsOfNodes& around);

}  // namespace amgsolve
