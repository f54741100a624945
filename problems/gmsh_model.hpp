#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "problems/mesh.hpp"
#include "problems/own_process.hpp"

/// What Gmsh tells of a mesh, on its way from Gmsh's process to ours.
namespace amgsolve {

/// The elements of highest dimension and what belongs to them, by Gmsh's numbers, which need not be consecutive.
struct GmshModel {
  struct Group {
    std::string name;
    int dimension = 0;
    std::vector<std::size_t> members;  ///< elements, or, of lower dimensions, the nodes of its simplices
  };

  int dimensions = 2;
  std::vector<std::size_t> elements;
  std::vector<std::size_t> corners;  ///< dimensions + 1 of each element
  std::vector<std::size_t> nodes;    ///< also those of no element
  std::vector<double> coordinates;   ///< three of each
  std::vector<Group> groups;
};

void send(const ProcessSink& sink, const GmshModel& model);
/// Throws ProcessSource::Ended where what comes is none.
GmshModel take_model(const ProcessSource& source);

/// See read_gmsh().
Mesh mesh_of_model(Context<Host>& ctx, const GmshModel& model, const std::string& name, ElementsOfNodes& around);

#if AMGSOLVE_HAVE_GMSH
class GmshSession;

/// Of the model that Gmsh holds. Throws InputError where it has no elements, or others than simplices of first order.
GmshModel model_of(const GmshSession& gmsh, const std::string& name);
#endif

}  // namespace amgsolve
