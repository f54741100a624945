#pragma once

#include "core/types.hpp"

namespace amgsolve {

/// Rows of a matrix, on the device; `rows` is null where they are all of them in their order.
struct RowSelection {
  const Index* rows;
  Index count;
};

}  // namespace amgsolve
