#pragma once

#include <array>
#include <cstdint>

#include "core/types.hpp"

namespace amgsolve {

/// A structured grid of unknowns in 2 or 3 dimensions; unknown (i, j, k) has the number i + nx · (j + ny · k).
struct StructuredGrid {
  int dimensions = 2;
  std::array<std::int64_t, 3> size{1, 1, 1};  ///< unknowns per direction; 1 past `dimensions`

  /// Throws InputError where they are more than the rows of a matrix can be.
  Index unknowns() const {
    return checked_index(size[2] * checked_index(size[0] * size[1], "unknowns in a plane of the grid"),
                         "unknowns of the grid");
  }
};

}  // namespace amgsolve
