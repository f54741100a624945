#pragma once

#include <cstdint>

#include "core/types.hpp"

/// What the steps that products share trade the time they take for, with what an H200 needs; any GPU can.
namespace amgsolve {

/// Rows of a thread that puts them into bins: rows of a block share an atomic addition to the length of a list, which
/// all blocks contend for.
inline constexpr int binned_rows_per_thread = 8;

/// Lanes that take a row of B together: as many as its mean row has entries, or up to twice as many, but no fewer than
/// this. On an H200 fewer cost a second step on most rows, more leave lanes without work.
inline constexpr int fewest_lanes = 4;

/// Where products are added up at known positions, as many as entries, rounded down, and no fewer than this: a step costs
/// so little that lanes without work cost more than a second step. On an H200 within 20 % of the best for means of 2.4
/// to 27, and one or two lanes 1.5 times as quick as four for A P.
inline constexpr int fewest_planned_lanes = 1;

/// Entries of a hash table whose positions in the sorted row a thread finds at a time, in registers.
inline constexpr int positions_at_a_time = 4;

}  // namespace amgsolve

namespace amgsolve::row_sizes {

/// Results are booked once a block: bookings in the same place wait for each other.
inline constexpr int block_threads = 256;

/// Rows that are sampled, a warp for each: one wave of an H200, with an error of the mean of a sixty-fourth of the
/// rows' deviation. Less where the samples' products alone would take a tenth of a millisecond.
inline constexpr Index most_samples = 4096;
inline constexpr Index least_samples = 512;
inline constexpr double most_sampled_products = 4e6;

/// Blocks that compare the lengths of rows: two a multiprocessor of an H200.
inline constexpr std::int64_t most_length_blocks = 264;

}  // namespace amgsolve::row_sizes
