#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace amgsolve {

/// Bits of the numbers in [0, n), which a radix sort of them looks at: the least b with 2^b ≥ n.
AMGSOLVE_HOST_DEVICE constexpr int bits_below(std::int64_t n) {
  int bits = 0;
  while (std::int64_t{1} << bits < n) {
    ++bits;
  }
  return bits;
}

}  // namespace amgsolve
