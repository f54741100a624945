#pragma once

#include <algorithm>

#include "core/one_lane.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {

/// The first row of part `part` of `parts` when rows are split into consecutive ranges with about the same number of
/// rows + entries in each: the work of an operation that visits every entry and writes something for every row.
/// @param row_offsets  of a CSR matrix, rows + 1
inline Index balanced_split(Index rows, const Offset* row_offsets, std::int64_t part, std::int64_t parts) {
  const Offset target = (rows + row_offsets[rows]) * part / parts;
  Index low = 0;
  Index high = rows;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (middle + row_offsets[middle] < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Calls body(begin, end) on disjoint row ranges that cover [0, rows), balanced over the threads, of which each has
/// neighbouring ones of work_between_polls at most. Sequential for little work. The body must not throw or allocate
/// from the context.
/// @param work  of an entry, and of what is written for a row
template <class Body>
void parallel_rows(const Context<Host>& ctx, Index rows, const Offset* row_offsets, Body&& body,
                   std::int64_t work = 1) {
  if (rows == 0) {
    return;
  }
  const Offset entries = rows + row_offsets[rows];
  const std::int64_t threads = is_shared(ctx, entries, work) ? ctx.threads() : 1;
  const std::int64_t parts = threads * (1 + entries * work / threads / work_between_polls);
  parallel_for(
      ctx, parts,
      [&](std::int64_t part) {
        body(balanced_split(rows, row_offsets, part, parts), balanced_split(rows, row_offsets, part + 1, parts));
      },
      work_between_polls);
}

/// Calls body(lanes, row) for every row in [0, rows) with the one lane that a row has here.
template <class Body>
void parallel_rows(Context<Host>& ctx, std::int64_t rows, const Body& body) {
  parallel_for(ctx, rows, [&](std::int64_t row) { body(OneLane{}, row); });
}

/// Calls body(row, entry) for every entry of a CSR matrix, by rows.
template <class Body>
void parallel_entries(Context<Host>& ctx, std::int64_t rows, std::int64_t entries, const Offset* row_offsets,
                      const Body& body) {
  parallel_for(
      ctx, rows,
      [&](std::int64_t row) {
        for (Offset entry = row_offsets[row]; entry < row_offsets[row + 1]; ++entry) {
          body(row, entry);
        }
      },
      1 + entries / std::max<std::int64_t>(rows, 1));
}

}  // namespace amgsolve
