#pragma once

#include "core/host_device.hpp"
#include "core/types.hpp"

namespace amgsolve {

/// Where a storage keeps the entries of one row, in the order of the row: at first, first + stride, … before end.
struct RowEntries {
  Offset first;
  Offset end;
  Offset stride;
};

/// The column of an entry that only fills a row up; its value is 0.
inline constexpr Index padding = -1;

}  // namespace amgsolve
