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

/// Columns that are listed, by a pointer to one of them that goes on from entry to entry.
struct ListedColumns {
  const Index* next;
  Offset stride;

  /// Of the e-th entry from here.
  AMGSOLVE_HOST_DEVICE Index column(int e) const { return read_only(next + e * stride); }
  AMGSOLVE_HOST_DEVICE void advance(int entries) { next += entries * stride; }
};

/// The same where the column of each entry is listed.
struct ListedEntries : RowEntries {
  const Index* col_indices;

  AMGSOLVE_HOST_DEVICE Index column(Index e) const { return columns_from(e).column(0); }
  AMGSOLVE_HOST_DEVICE ListedColumns columns_from(Index e) const { return {col_indices + place(e), stride}; }
};

/// The column of an entry that only fills a row up; its value is 0.
inline constexpr Index padding = -1;

}  // namespace amgsolve
