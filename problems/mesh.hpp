#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "core/context.hpp"
#include "spmv/multi_vector.hpp"

/// Meshes of triangles in the plane or tetrahedra in space. All results are the same for any number of threads.
namespace amgsolve {

/// Elements, or faces, edges or points, that have a name, by which conditions and coefficients are given.
struct MeshGroup {
  std::string name;
  int dimension = 0;
  /// Of a group of the mesh's own dimension the numbers of its elements, else the nodes of its simplices, one after the
  /// other, dimension + 1 of each.
  std::vector<Index> members;
};

struct Mesh {
  std::string name;                  ///< what messages call it
  MultiVector<double, Host> points;  ///< where the nodes lie, a column for each dimension
  Buffer<Index, Host> corners;       ///< the nodes of the elements, one after the other, counter-clockwise
  std::vector<MeshGroup> groups;     ///< those of the file

  Index nodes() const { return points.rows(); }
  int dimensions() const { return points.columns(); }
  std::size_t corners_of_element() const { return static_cast<std::size_t>(points.columns()) + 1; }
  Index elements() const { return static_cast<Index>(corners.size() / corners_of_element()); }

  const double* point(Index node) const { return points.data() + static_cast<std::int64_t>(node) * points.columns(); }
  Span<const Index, Host> element(Index e) const {
    return corners.span().subspan(static_cast<std::size_t>(e) * corners_of_element(), corners_of_element());
  }
};

/// The elements that each node is a corner of, ascending.
struct ElementsOfNodes {
  Buffer<Offset, Host> offsets;  ///< nodes + 1
  Buffer<Index, Host> elements;

  Span<const Index, Host> of(Index node) const {
    const Offset* const begin = offsets.data() + node;
    return elements.span().subspan(static_cast<std::size_t>(begin[0]), static_cast<std::size_t>(begin[1] - begin[0]));
  }
};

/// By a counting sort, O(nodes + elements).
ElementsOfNodes elements_of_nodes(Context<Host>& ctx, const Mesh& mesh);

/// What messages call a node or an element, counted from 0: "plate.msh: node 7".
using NameOfPart = std::function<std::string(Index)>;

/// Throws InputError naming the first element that is turned inside out or has no volume to speak of (10⁻¹² of the cube
/// or square on its longest edge), the first node that no element has, or the first element with a side that three
/// share. The corners must be nodes. O(elements), but for sorting the sides of a node.
void check_mesh(Context<Host>& ctx, const Mesh& mesh, const ElementsOfNodes& around, const NameOfPart& node,
                const NameOfPart& element);

/// For each corner of each element, in their order, the other element that has the side opposite to it; −1 where none
/// has. The mesh must be one that check_mesh() takes.
Buffer<Index, Host> elements_across(Context<Host>& ctx, const Mesh& mesh, const ElementsOfNodes& around);

/// The sides that one element alone has, in the order of the elements: the nodes of each, as many as there are
/// dimensions.
/// @param across  elements_across()
std::vector<Index> boundary_sides(Context<Host>& ctx, const Mesh& mesh, Span<const Index, Host> across);

}  // namespace amgsolve
