#pragma once

#if AMGSOLVE_HAVE_GMSH
#include <string>

#include "problems/gmsh_session.hpp"
#include "problems/mesh.hpp"

namespace amgsolve {

/// The mesh of the model that Gmsh holds; see read_gmsh().
Mesh mesh_of_model(Context<Host>& ctx, const GmshSession& gmsh, const std::string& name, ElementsOfNodes& around);

}  // namespace amgsolve
#endif
