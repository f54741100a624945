#pragma once

#include "core/host_device.hpp"
#include "core/types.hpp"

namespace amgsolve {

/// Where a storage keeps the entries of one row, or has room for them and padding: entry e, in the order of the row, at
/// place(e).
struct RowEntries {
  Offset first;
  Offset stride;
  Index count;

  AMGSOLVE_HOST_DEVICE Offset place(Index e) const { return first + e * stride; }
};

/// The same where the column of each entry is listed.
struct ListedEntries : RowEntries {
  const Index* col_indices;

  AMGSOLVE_HOST_DEVICE Index column(Index e) const { return read_only(col_indices + place(e)); }
};

/// The column of an entry that only fills a row up; its value is 0.
inline constexpr Index padding = -1;

}  // namespace amgsolve
