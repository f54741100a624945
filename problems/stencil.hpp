#pragma once

#include <cstdint>

#include "core/host_device.hpp"
#include "core/types.hpp"
#include "problems/coefficient_field.hpp"
#include "problems/generated_problem.hpp"
#include "problems/grid_point.hpp"
#include "problems/velocity_field.hpp"

/// The rows of a generated matrix, each from its number alone: host and device call these same functions and, since
/// neither compiler contracts a·b + c, get the same bits.
namespace amgsolve {

enum class StencilKind { star, box, element };

/// What a row depends on besides its number: plain values that kernels take as they are.
struct Stencil {
  StencilKind kind = StencilKind::star;
  Boundary boundary = Boundary::dirichlet;
  int dimensions = 2;
  std::int64_t size[3] = {1, 1, 1};
  CoefficientField coefficient;
  double weight[3] = {1.0, 1.0, 1.0};  ///< star: K_dd of each direction
  VelocityField velocity;              ///< star: in units of 1 / h
  Scheme scheme = Scheme::upwind;
  /// element: the stiffness matrix of one element with c = 1, times `denominator`: integers for K = I, so that rows
  /// come out correctly rounded. The bits of a corner's number are its coordinates, x the lowest.
  double element[8][8] = {};
  double denominator = 1.0;
};

/// The stencil of a problem. Throws what GeneratedProblem::validate() throws.
Stencil make_stencil(const GeneratedProblem& problem);

/// A step from an unknown to a neighbour, −1, 0 or 1 in each direction.
struct Step {
  int x;
  int y;
  int z;

  AMGSOLVE_HOST_DEVICE int directions() const { return (x != 0) + (y != 0) + (z != 0); }
};

/// The steps along one direction in the ascending order of the coordinates they lead to, which a periodic boundary
/// rotates; only the step 0 past the grid's dimensions.
struct StepRange {
  int first;
  int count;

  AMGSOLVE_HOST_DEVICE int operator[](int k) const { return (first + 1 + k) % 3 - 1; }
};

AMGSOLVE_HOST_DEVICE inline StepRange step_range(const Stencil& stencil, int direction, std::int64_t i) {
  if (direction >= stencil.dimensions) {
    return {0, 1};
  }
  if (stencil.boundary != Boundary::periodic) {
    return {-1, 3};
  }
  return {i == 0 ? 0 : i == stencil.size[direction] - 1 ? 1 : -1, 3};
}

/// The coordinate i, −1 ≤ i ≤ size, brought back into the grid where it is periodic.
AMGSOLVE_HOST_DEVICE inline std::int64_t wrap(const Stencil& stencil, int direction, std::int64_t i) {
  if (stencil.boundary != Boundary::periodic) {
    return i;
  }
  const std::int64_t size = stencil.size[direction];
  return i < 0 ? i + size : i >= size ? i - size : i;
}

/// Calls visit(step, neighbour) for an unknown and all that the stencil couples it with, in ascending order of their
/// numbers; among them points outside the grid, which are no unknowns.
template <class Visit>
AMGSOLVE_HOST_DEVICE void for_each_neighbour(const Stencil& stencil, const GridPoint& point, Visit&& visit) {
  const StepRange range_x = step_range(stencil, 0, point.x);
  const StepRange range_y = step_range(stencil, 1, point.y);
  const StepRange range_z = step_range(stencil, 2, point.z);
  for (int k = 0; k < range_z.count; ++k) {
    for (int j = 0; j < range_y.count; ++j) {
      for (int i = 0; i < range_x.count; ++i) {
        const Step step{range_x[i], range_y[j], range_z[k]};
        if (stencil.kind == StencilKind::star && step.directions() > 1) {
          continue;
        }
        visit(step, GridPoint{wrap(stencil, 0, point.x + step.x), wrap(stencil, 1, point.y + step.y),
                              wrap(stencil, 2, point.z + step.z)});
      }
    }
  }
}

/// Unknowns within one step of coordinate i along one direction, itself included.
AMGSOLVE_HOST_DEVICE inline Index reach(const Stencil& stencil, int direction, std::int64_t i) {
  if (direction >= stencil.dimensions) {
    return 1;
  }
  const bool open = stencil.boundary != Boundary::periodic;
  return 3 - (open && i == 0 ? 1 : 0) - (open && i == stencil.size[direction] - 1 ? 1 : 0);
}

/// Entries of a row.
AMGSOLVE_HOST_DEVICE inline Index row_length(const Stencil& stencil, std::int64_t row) {
  const GridPoint point = grid_point(stencil.size, row);
  const Index x = reach(stencil, 0, point.x);
  const Index y = reach(stencil, 1, point.y);
  const Index z = reach(stencil, 2, point.z);
  return stencil.kind == StencilKind::star ? x + y + z - 2 : x * y * z;
}

/// weight times the harmonic mean of two coefficients, the same for both orders of them, without a product or a sum
/// that is out of range where they are not.
AMGSOLVE_HOST_DEVICE inline double link(double weight, double a, double b) {
  const double low = a < b ? a : b;
  const double high = a < b ? b : a;
  return 2.0 * weight * (low / (1.0 + low / high));
}

/// What convection adds to the link with the neighbour at a step along one direction.
AMGSOLVE_HOST_DEVICE inline double inflow(const Stencil& stencil, const GridPoint& point, const Step& step) {
  const int direction = step.x != 0 ? 0 : step.y != 0 ? 1 : 2;
  const double speed = stencil.velocity.component(direction, point.x, point.y);
  const double from_there = step.x + step.y + step.z > 0 ? -speed : speed;
  if (stencil.scheme == Scheme::central) {
    return from_there / 2.0;
  }
  return from_there > 0.0 ? from_there : 0.0;
}

/// A row of the stars and boxes: −link to each neighbour, their sum on the diagonal.
template <class Column, class T>
AMGSOLVE_HOST_DEVICE void difference_row(const Stencil& stencil, const GridPoint& point, Column* columns, T* values) {
  const double own = coefficient_of_cell(stencil.coefficient, point.x, point.y, point.z);
  double diagonal = 0.0;
  int length = 0;
  int diagonal_position = 0;
  for_each_neighbour(stencil, point, [&](const Step& step, const GridPoint& neighbour) {
    const bool inside = is_in_grid(stencil.size, neighbour);
    if (step.directions() == 0) {
      diagonal_position = length;
    } else if (inside || stencil.boundary == Boundary::dirichlet) {
      const double other =
          inside ? coefficient_of_cell(stencil.coefficient, neighbour.x, neighbour.y, neighbour.z) : own;
      const double weight = stencil.weight[step.x != 0 ? 0 : step.y != 0 ? 1 : 2];
      const double diffusion = link(weight, own, other);
      const double strength = stencil.velocity.scale > 0.0 ? diffusion + inflow(stencil, point, step) : diffusion;
      diagonal += strength;
      if (inside) {
        values[length] = static_cast<T>(-strength);
      }
    }
    if (inside) {
      columns[length++] = static_cast<Column>(point_number(stencil.size, neighbour));
    }
  });
  values[diagonal_position] = static_cast<T>(diagonal);
}

/// Coefficients of the elements around a node, numbered like corners by the side of the node they lie on; 0 for those
/// outside the grid.
struct AdjacentElements {
  double coefficient[8];
};

AMGSOLVE_HOST_DEVICE inline AdjacentElements adjacent_elements(const Stencil& stencil, const GridPoint& point) {
  AdjacentElements elements{};
  const std::int64_t before = stencil.boundary == Boundary::dirichlet ? 0 : -1;
  const std::int64_t node[3] = {point.x, point.y, point.z};
  for (int e = 0; e < 1 << stencil.dimensions; ++e) {
    std::int64_t cell[3] = {0, 0, 0};
    bool inside = true;
    for (int d = 0; d < stencil.dimensions; ++d) {
      cell[d] = wrap(stencil, d, node[d] + before + ((e >> d) & 1));
      inside = inside && (stencil.boundary != Boundary::neumann || (cell[d] >= 0 && cell[d] < stencil.size[d] - 1));
    }
    elements.coefficient[e] = inside ? coefficient_of_cell(stencil.coefficient, cell[0], cell[1], cell[2]) : 0.0;
  }
  return elements;
}

/// Where the sum of the entry at a step stands in element_row: the digits in base 3 are the step's, plus one.
AMGSOLVE_HOST_DEVICE inline int step_number(int x, int y, int z) { return x + 1 + 3 * (y + 1 + 3 * (z + 1)); }

/// A row of the finite elements: each entry is the sum over the elements that both nodes belong to.
template <class Column, class T>
AMGSOLVE_HOST_DEVICE void element_row(const Stencil& stencil, const GridPoint& point, Column* columns, T* values) {
  const AdjacentElements elements = adjacent_elements(stencil, point);
  const int last = (1 << stencil.dimensions) - 1;
  double sums[27] = {};
  for (int e = 0; e <= last; ++e) {
    const int own = last - e;
    for (int other = 0; other <= last; ++other) {
      const int number =
          step_number((other & 1) - (own & 1), ((other >> 1) & 1) - ((own >> 1) & 1), (other >> 2) - (own >> 2));
      sums[number] += elements.coefficient[e] * stencil.element[own][other];
    }
  }
  int length = 0;
  for_each_neighbour(stencil, point, [&](const Step& step, const GridPoint& neighbour) {
    if (is_in_grid(stencil.size, neighbour)) {
      columns[length] = static_cast<Column>(point_number(stencil.size, neighbour));
      values[length] = static_cast<T>(sums[step_number(step.x, step.y, step.z)] / stencil.denominator);
      ++length;
    }
  });
}

/// Writes the row_length(stencil, row) columns, ascending, and values of a row. Computed in double, rounded to T.
/// @tparam Column  holds the number of any unknown
template <class Column, class T>
AMGSOLVE_HOST_DEVICE void fill_row(const Stencil& stencil, std::int64_t row, Column* columns, T* values) {
  const GridPoint point = grid_point(stencil.size, row);
  if (stencil.kind == StencilKind::element) {
    element_row(stencil, point, columns, values);
  } else {
    difference_row(stencil, point, columns, values);
  }
}

}  // namespace amgsolve
