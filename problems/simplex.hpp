#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/types.hpp"
#include "problems/mesh.hpp"

namespace amgsolve {

/// For parallel_for() over the nodes of a mesh: what the elements around one take, in operations.
inline constexpr std::int64_t work_of_node = 1000;

/// A triangle (D = 2) or a tetrahedron (D = 3), with the functions φ_a, linear on it, that are 1 at corner a and 0 at
/// the others.
template <std::size_t D>
struct Simplex {
  static constexpr std::size_t corners = D + 1;
  using Vector = std::array<double, D>;

  double volume = 0.0;                      ///< area in the plane; below 0 where it is turned inside out
  std::array<Vector, corners> gradients{};  ///< ∇φ_a; not finite where the volume is 0

  Simplex(const Mesh& mesh, Index element) {
    const Span<const Index, Host> nodes = mesh.element(element);
    std::array<Vector, D> edges;  // from the first corner
    for (std::size_t k = 0; k < D; ++k) {
      for (std::size_t d = 0; d < D; ++d) {
        edges[k][d] = mesh.point(nodes[k + 1])[d] - mesh.point(nodes[0])[d];
      }
    }
    // The gradient of the function at the end of an edge is perpendicular to the other edges.
    double determinant = 0.0;
    if constexpr (D == 2) {
      gradients[1] = {edges[1][1], -edges[1][0]};
      gradients[2] = {-edges[0][1], edges[0][0]};
      determinant = edges[0][0] * edges[1][1] - edges[0][1] * edges[1][0];
    } else {
      for (std::size_t k = 0; k < D; ++k) {
        gradients[k + 1] = cross(edges[(k + 1) % D], edges[(k + 2) % D]);
      }
      for (std::size_t d = 0; d < D; ++d) {
        determinant += edges[0][d] * gradients[1][d];
      }
    }
    volume = determinant / (D == 2 ? 2.0 : 6.0);
    for (std::size_t d = 0; d < D; ++d) {
      for (std::size_t k = 1; k < corners; ++k) {
        gradients[k][d] /= determinant;
        gradients[0][d] -= gradients[k][d];
      }
    }
  }

 private:
  static Vector cross(const Vector& a, const Vector& b) requires(D == 3) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
};

/// Calls body with an integral constant of the mesh's dimensions.
template <class Body>
decltype(auto) with_dimensions(const Mesh& mesh, const Body& body) {
  return mesh.dimensions() == 2 ? body(std::integral_constant<std::size_t, 2>{})
                                : body(std::integral_constant<std::size_t, 3>{});
}

}  // namespace amgsolve
