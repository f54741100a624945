#pragma once

#include "core/types.hpp"

namespace amgsolve {

/// Unknowns that a node has in the rows of A, in A's columns and B's rows, and in B's columns.
struct NodeSizes {
  Index rows = 1;
  Index inner = 1;
  Index columns = 1;

  /// Those of R (A P), for the sizes of A P.
  NodeSizes restricted() const { return {columns, rows, columns}; }
};

}  // namespace amgsolve
