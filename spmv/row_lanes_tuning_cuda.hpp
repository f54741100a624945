#pragma once

#include <cstdint>

/// What rows shared by a few lanes trade one resource of a GPU for another by; all of it fits any GPU.
namespace amgsolve {

/// One cache sector of column indices: rows of 5 to 30 entries are what coarsening sees.
inline constexpr int row_lanes = 8;

/// Rows of no more entries than this, on average, have a lane each: what several would share is less than what sharing
/// costs, and the sectors that neighbouring rows have in common stay in the L1 cache.
inline constexpr std::int64_t entries_of_one_lane = 9;

/// With eight entries on its way at a time, which are a sector of memory, a lane alone takes less time than several for
/// rows of up to so many, too, where they are enough to keep a GPU busy: 0.5 instead of 0.65 ms for the neighbours of
/// 12 M nodes with 26 each on an H200.
inline constexpr std::int64_t entries_of_one_batching_lane = 40;
inline constexpr std::int64_t rows_of_batching_lanes = std::int64_t{1} << 20;

/// Entries of a row that a thread of a product has on their way at a time: one by one each waits for memory, and more
/// of them take registers, with which fewer rows are worked on.
/// @tparam Columns  of X that the thread works on, whose values it loads for each entry
template <int Columns>
inline constexpr int entries_at_once = Columns == 1 ? 4 : 2;

/// As many entries a warp passes through one after another where rows are that short: more leave warps too few.
inline constexpr std::int64_t entries_of_warp = 1024;

}  // namespace amgsolve
