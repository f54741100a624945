#pragma once

#include <cstdint>
#include <vector>

#include "core/host_device.hpp"
#include "problems/generated_problem.hpp"
#include "problems/velocity_field.hpp"

namespace amgsolve {

/// The manufactured solution u of one column and what follows from it, evaluated at an unknown in O(1): plain values
/// that kernels take as they are. u is a product of functions of one coordinate each, whose values stand in a table
/// made on the host: the last bits of sines and cosines differ on a device.
struct ManufacturedMode {
  enum Factor { value, derivative, share };  ///< share: of a cell, that an unknown stands for

  std::int64_t size[3] = {1, 1, 1};
  const double* table = nullptr;  ///< for each direction: each factor at every position
  double eigenvalue = 0.0;        ///< Σ_d K_dd k_d² for wave numbers k_d
  double K_xy = 0.0;
  double load_scale = 1.0;
  double cell = 1.0;         ///< its volume
  int components = 1;        ///< unknowns of a point
  double compression = 0.0;  ///< of an elastic body: λ + μ
  double wave_number[3] = {};
  VelocityField velocity;  ///< times Pe

  AMGSOLVE_HOST_DEVICE double factor(Factor which, int direction, std::int64_t position) const {
    const std::int64_t begin = 3 * ((direction > 0 ? size[0] : 0) + (direction > 1 ? size[1] : 0));
    return table[begin + which * size[direction] + position];
  }

  AMGSOLVE_HOST_DEVICE double product(Factor x, Factor y, Factor z, std::int64_t row) const {
    const std::int64_t line = row / size[0];
    return factor(x, 0, row % size[0]) * factor(y, 1, line % size[1]) * factor(z, 2, line / size[1]);
  }

  AMGSOLVE_HOST_DEVICE double solution(std::int64_t row) const {
    return amplitude(static_cast<int>(row % components)) * product(value, value, value, row / components);
  }

  /// The volume that an unknown stands for.
  AMGSOLVE_HOST_DEVICE double volume(std::int64_t row) const {
    return cell * product(share, share, share, row / components);
  }

  AMGSOLVE_HOST_DEVICE double load(std::int64_t row) const {
    const std::int64_t point = row / components;
    const double share_of_point = load_scale * product(share, share, share, point);
    return share_of_point * (eigenvalue * solution(row) - 2.0 * K_xy * product(derivative, derivative, value, point) +
                             convection(point) - compressed(static_cast<int>(row % components), point));
  }

  /// Of the unknowns of a point; they differ, so that none is taken for another.
  AMGSOLVE_HOST_DEVICE static double amplitude(int component) { return 1.0 / (1 + component); }

  /// (λ + μ) ∂_c ∇·u of an elastic body.
  AMGSOLVE_HOST_DEVICE double compressed(int c, std::int64_t point) const {
    if (!(compression > 0.0)) {
      return 0.0;
    }
    double sum = 0.0;
    for (int d = 0; d < components; ++d) {
      const auto along = [&](int direction) { return direction == c || direction == d ? derivative : value; };
      sum += amplitude(d) * (d == c ? -wave_number[c] * wave_number[c] * product(value, value, value, point)
                                    : product(along(0), along(1), along(2), point));
    }
    return compression * sum;
  }

  /// Pe w·∇u
  AMGSOLVE_HOST_DEVICE double convection(std::int64_t row) const {
    if (!(velocity.scale > 0.0)) {
      return 0.0;
    }
    const std::int64_t i = row % size[0];
    const std::int64_t j = row / size[0] % size[1];
    return velocity.component(0, i, j) * product(derivative, value, value, row) +
           velocity.component(1, i, j) * product(value, derivative, value, row) +
           velocity.component(2, i, j) * product(value, value, derivative, row);
  }
};

/// A mode whose table is still on the host.
struct TabulatedMode {
  ManufacturedMode mode;  ///< without a table
  std::vector<double> table;
};

TabulatedMode make_manufactured_mode(const GeneratedProblem& problem, Index column);

}  // namespace amgsolve
