#pragma once

#include <cstdint>

/// What rows shared by a few lanes trade one resource of a GPU for another by; all of it fits any GPU.
namespace amgsolve {

/// One cache sector of column indices: rows of 5 to 30 entries are what coarsening sees.
inline constexpr int row_lanes = 8;

/// Rows of no more entries than this, on average, have a lane each: what several would share is less than what sharing
/// costs, and the sectors that neighbouring rows have in common stay in the L1 cache.
inline constexpr std::int64_t entries_of_one_lane = 9;

}  // namespace amgsolve
