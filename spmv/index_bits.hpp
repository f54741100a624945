#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/types.hpp"

namespace amgsolve {

/// Bits of the indices in [0, n): what a radix sort of them has to look at.
inline int index_bits(Index n) {
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(std::max(n - 1, Index{0}))));
}

}  // namespace amgsolve
