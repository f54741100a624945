#pragma once

#include <cstdint>

#include "core/hash.hpp"
#include "core/host_device.hpp"
#include "problems/generated_problem.hpp"

namespace amgsolve {

/// The coefficient c of a cell from its position alone; see Coefficient. Plain values that kernels take as they are.
struct CoefficientField {
  /// Bits of a random exponent.
  static constexpr int exponent_bits = 16;

  CoefficientType type = CoefficientType::constant;
  int dimensions = 2;
  double low = 1.0;  ///< also the value of a constant
  double high = 1.0;
  std::int64_t block = 1;
  std::uint64_t seed = 0;
  /// (high / low)^(2^−(b+1)): a product of some of these is a random power of high / low without exp or pow, whose last
  /// bits differ between host and device.
  double growth[exponent_bits] = {};
};

AMGSOLVE_HOST_DEVICE inline double random_coefficient(const CoefficientField& field, std::uint64_t random) {
  double value = field.low;
  for (int b = 0; b < CoefficientField::exponent_bits; ++b) {
    if (((random >> b) & 1U) != 0) {
      value *= field.growth[b];
    }
  }
  return value;
}

/// Whether the centre of a cell lies in its block's ball. Lengths are in half cells, where the block measures 2 block
/// and the ball's diameter is `block`.
AMGSOLVE_HOST_DEVICE inline bool in_inclusion(const CoefficientField& field, std::uint64_t random,
                                              const std::int64_t (&cell_in_block)[3]) {
  std::int64_t distance_squared = 0;
  for (int d = 0; d < field.dimensions; ++d) {
    random = hash64(random);
    const auto shift = static_cast<std::int64_t>(random % (static_cast<std::uint64_t>(field.block) + 1));
    const std::int64_t centre = field.block / 2 + shift;
    const std::int64_t distance = 2 * cell_in_block[d] + 1 - centre;
    distance_squared += distance * distance;
  }
  return 4 * distance_squared <= field.block * field.block;
}

AMGSOLVE_HOST_DEVICE inline double coefficient_of_cell(const CoefficientField& field, std::int64_t x, std::int64_t y,
                                                       std::int64_t z) {
  if (field.type == CoefficientType::constant) {
    return field.low;
  }
  const std::int64_t block[3] = {x / field.block, y / field.block, z / field.block};
  if (field.type == CoefficientType::checkerboard) {
    return (block[0] + block[1] + block[2]) % 2 == 0 ? field.low : field.high;
  }
  std::uint64_t random = hash64(field.seed);
  for (const std::int64_t position : block) {
    random = hash64(random + static_cast<std::uint64_t>(position));
  }
  if (field.type == CoefficientType::random) {
    return random_coefficient(field, random);
  }
  return in_inclusion(field, random, {x % field.block, y % field.block, z % field.block}) ? field.high : field.low;
}

}  // namespace amgsolve
