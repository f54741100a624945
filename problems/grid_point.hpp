#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace amgsolve {

/// Coordinates of a point of a structured grid, counted from 0.
struct GridPoint {
  std::int64_t x;
  std::int64_t y;
  std::int64_t z;
};

/// The point of a number.
AMGSOLVE_HOST_DEVICE inline GridPoint grid_point(const std::int64_t (&size)[3], std::int64_t number) {
  const std::int64_t line = number / size[0];
  return {number % size[0], line % size[1], line / size[1]};
}

/// The number of a point.
AMGSOLVE_HOST_DEVICE inline std::int64_t point_number(const std::int64_t (&size)[3], const GridPoint& point) {
  return point.x + size[0] * (point.y + size[1] * point.z);
}

AMGSOLVE_HOST_DEVICE inline bool is_in_grid(const std::int64_t (&size)[3], const GridPoint& point) {
  return point.x >= 0 && point.x < size[0] && point.y >= 0 && point.y < size[1] && point.z >= 0 && point.z < size[2];
}

}  // namespace amgsolve
