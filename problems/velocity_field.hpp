#pragma once

#include <cstdint>

#include "core/host_device.hpp"
#include "problems/generated_problem.hpp"

namespace amgsolve {

/// The velocity w of a convection term at an unknown, from its position alone; see GeneratedProblem. Plain values that
/// kernels take as they are.
struct VelocityField {
  Velocity type = Velocity::constant;
  int dimensions = 2;
  double scale = 0.0;  ///< of w; 0: there is no convection
  double cells[3] = {1.0, 1.0, 1.0};

  /// Component d at the unknown whose coordinates count from 0, behind a Dirichlet boundary.
  AMGSOLVE_HOST_DEVICE double component(int d, std::int64_t i, std::int64_t j) const {
    if (type == Velocity::constant) {
      const double plane[3] = {0.8, 0.6, 0.0};
      const double space[3] = {0.48, 0.6, 0.64};
      return scale * (dimensions == 2 ? plane[d] : space[d]);
    }
    const double x = static_cast<double>(i + 1) / cells[0];
    const double y = static_cast<double>(j + 1) / cells[1];
    if (d == 2) {
      return 0.0;
    }
    if (type == Velocity::rotating) {
      return scale * (d == 0 ? 1.0 - 2.0 * y : 2.0 * x - 1.0);
    }
    return scale * (d == 0 ? 4.0 * x * (x - 1.0) * (1.0 - 2.0 * y) : -4.0 * y * (y - 1.0) * (1.0 - 2.0 * x));
  }
};

/// @param scale  of a velocity that is at most 1
inline VelocityField make_velocity_field(const GeneratedProblem& problem, double scale) {
  VelocityField field{.type = problem.velocity, .dimensions = problem.grid.dimensions, .scale = scale};
  for (int d = 0; d < problem.grid.dimensions; ++d) {
    field.cells[d] = static_cast<double>(problem.cells(d));
  }
  return field;
}

}  // namespace amgsolve
