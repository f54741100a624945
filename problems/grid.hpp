#pragma once

#include <array>
#include <cstdint>

namespace amgsolve {

/// A structured grid of unknowns in 2 or 3 dimensions; unknown (i, j, k) has the number i + nx · (j + ny · k).
struct Grid {
  int dimensions = 2;
  std::array<std::int64_t, 3> size{1, 1, 1};  ///< unknowns per direction; 1 past `dimensions`

  std::int64_t unknowns() const { return size[0] * size[1] * size[2]; }
};

}  // namespace amgsolve
