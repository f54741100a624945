#pragma once

#include <cstdint>

#include "core/host_device.hpp"
#include "core/types.hpp"
#include "problems/generated_problem.hpp"
#include "problems/grid_point.hpp"

/// The rows of an elastic body's stiffness matrix, each from its number alone, as in problems/stencil.hpp.
namespace amgsolve {

/// What a row and a load depend on besides their number: plain values that kernels take as they are. The bits of a
/// corner's number are its coordinates, x the lowest.
struct ElasticStencil {
  int dimensions = 2;
  std::int64_t size[3] = {1, 1, 1};  ///< nodes per direction
  bool fixed_before[3] = {};         ///< whether an element lies before the first node, or behind the last
  bool fixed_after[3] = {};
  bool simplices = false;  ///< p1
  double lambda = 0.0;
  double mu = 0.0;
  /// ∫ ∂_p φ_a ∂_q φ_b over an element with edges 1, times `denominator`: integers, so that an entry is rounded once
  /// for each of its terms.
  std::int8_t integral[8][8][3][3] = {};
  double denominator = 1.0;
  Load load = Load::gravity;
  double spacing = 1.0;
  double share[8] = {};       ///< ∫ φ_a over an element
  double face_share[8] = {};  ///< and over its side of largest x, where a lies on it
};

/// Throws what GeneratedProblem::validate() throws.
ElasticStencil make_elastic_stencil(const GeneratedProblem& problem);

/// Whether the element exists on that side of a node, side 1 being the one of larger coordinates.
AMGSOLVE_HOST_DEVICE inline bool has_element(const ElasticStencil& stencil, int d, std::int64_t i, int side) {
  return side == 0 ? i > 0 || stencil.fixed_before[d] : i < stencil.size[d] - 1 || stencil.fixed_after[d];
}

/// Whether element e of those around a node, numbered like corners by the side of the node they lie on, exists.
AMGSOLVE_HOST_DEVICE inline bool has_element(const ElasticStencil& stencil, const GridPoint& node, int e) {
  return has_element(stencil, 0, node.x, e & 1) && has_element(stencil, 1, node.y, (e >> 1) & 1) &&
         (stencil.dimensions == 2 || has_element(stencil, 2, node.z, e >> 2));
}

/// Whether nodes one step apart share an element that couples them: of simplices, those on a way that only ascends.
AMGSOLVE_HOST_DEVICE inline bool couples(const ElasticStencil& stencil, int x, int y, int z) {
  const bool ascends = x >= 0 && y >= 0 && z >= 0;
  const bool descends = x <= 0 && y <= 0 && z <= 0;
  return !stencil.simplices || ascends || descends;
}

/// Calls visit(x, y, z, neighbour) for the steps to a node and all that it is coupled with, in ascending order.
template <class Visit>
AMGSOLVE_HOST_DEVICE void for_each_coupled(const ElasticStencil& stencil, const GridPoint& node, Visit&& visit) {
  const int reach_z = stencil.dimensions == 3 ? 1 : 0;
  for (int z = -reach_z; z <= reach_z; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) {
        const GridPoint neighbour{node.x + x, node.y + y, node.z + z};
        if (couples(stencil, x, y, z) && is_in_grid(stencil.size, neighbour)) {
          visit(x, y, z, neighbour);
        }
      }
    }
  }
}

/// Entries of a row.
AMGSOLVE_HOST_DEVICE inline Index row_length(const ElasticStencil& stencil, std::int64_t row) {
  Index nodes = 0;
  for_each_coupled(stencil, grid_point(stencil.size, row / stencil.dimensions),
                   [&](int, int, int, const GridPoint&) { ++nodes; });
  return nodes * stencil.dimensions;
}

/// Σ over the elements that a node shares with the one a step away of their integrals.
struct ElasticIntegrals {
  int sum[3][3] = {};

  AMGSOLVE_HOST_DEVICE ElasticIntegrals(const ElasticStencil& stencil, const GridPoint& node, int x, int y, int z) {
    const int last = (1 << stencil.dimensions) - 1;
    for (int e = 0; e <= last; ++e) {
      const int own = last - e;
      const int to_x = (own & 1) + x;
      const int to_y = ((own >> 1) & 1) + y;
      const int to_z = (own >> 2) + z;
      const bool is_shared = to_x >= 0 && to_x <= 1 && to_y >= 0 && to_y <= 1 && to_z >= 0 && to_z <= 1;
      if (is_shared && has_element(stencil, node, e)) {
        const int other = to_x + 2 * to_y + 4 * to_z;
        for (int p = 0; p < stencil.dimensions; ++p) {
          for (int q = 0; q < stencil.dimensions; ++q) {
            sum[p][q] += stencil.integral[own][other][p][q];
          }
        }
      }
    }
  }
};

/// Writes the row_length(stencil, row) columns, ascending, and values of a row. Computed in double, rounded to T.
/// @tparam Column  holds the number of any unknown
template <class Column, class T>
AMGSOLVE_HOST_DEVICE void fill_row(const ElasticStencil& stencil, std::int64_t row, Column* columns, T* values) {
  const int dimensions = stencil.dimensions;
  const GridPoint node = grid_point(stencil.size, row / dimensions);
  const auto p = static_cast<int>(row % dimensions);
  for_each_coupled(stencil, node, [&](int x, int y, int z, const GridPoint& neighbour) {
    const ElasticIntegrals integrals(stencil, node, x, y, z);
    const std::int64_t first = point_number(stencil.size, neighbour) * dimensions;
    for (int q = 0; q < dimensions; ++q) {
      int shear = integrals.sum[q][p];
      for (int r = 0; p == q && r < dimensions; ++r) {
        shear += integrals.sum[r][r];
      }
      *columns++ = static_cast<Column>(first + q);
      *values++ = static_cast<T>((stencil.lambda * integrals.sum[p][q] + stencil.mu * shear) / stencil.denominator);
    }
  });
}

/// The entry of the load vector in a row: h² ∫ f φ for a body force f and h ∫ t φ for a traction t, over elements with
/// edges 1.
AMGSOLVE_HOST_DEVICE inline double load_on_row(const ElasticStencil& stencil, std::int64_t row) {
  const GridPoint node = grid_point(stencil.size, row / stencil.dimensions);
  const auto p = static_cast<int>(row % stencil.dimensions);
  const bool is_traction = stencil.load != Load::gravity;
  if (p != (stencil.load == Load::tension ? 0 : stencil.dimensions - 1) ||
      (is_traction && node.x != stencil.size[0] - 1)) {
    return 0.0;
  }
  const int last = (1 << stencil.dimensions) - 1;
  double sum = 0.0;
  for (int e = 0; e <= last; ++e) {
    if (has_element(stencil, node, e)) {
      sum += is_traction ? stencil.face_share[last - e] : stencil.share[last - e];
    }
  }
  return is_traction ? stencil.spacing * sum : -stencil.spacing * stencil.spacing * sum;
}

}  // namespace amgsolve
