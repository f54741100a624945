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
  double cell = 1.0;       ///< its volume
  VelocityField velocity;  ///< times Pe

  AMGSOLVE_HOST_DEVICE double factor(Factor which, int direction, std::int64_t position) const {
    const std::int64_t begin = 3 * ((direction > 0 ? size[0] : 0) + (direction > 1 ? size[1] : 0));
    return table[begin + which * size[direction] + position];
  }

  AMGSOLVE_HOST_DEVICE double product(Factor x, Factor y, Factor z, std::int64_t row) const {
    const std::int64_t line = row / size[0];
    return factor(x, 0, row % size[0]) * factor(y, 1, line % size[1]) * factor(z, 2, line / size[1]);
  }

  AMGSOLVE_HOST_DEVICE double solution(std::int64_t row) const { return product(value, value, value, row); }

  /// The volume that an unknown stands for.
  AMGSOLVE_HOST_DEVICE double volume(std::int64_t row) const { return cell * product(share, share, share, row); }

  AMGSOLVE_HOST_DEVICE double load(std::int64_t row) const {
    return load_scale * product(share, share, share, row) *
           (eigenvalue * solution(row) - 2.0 * K_xy * product(derivative, derivative, value, row) + convection(row));
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
