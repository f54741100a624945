#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/compute_capability.hpp"
#include "core/types.hpp"

/// What hash trades one resource of a GPU for another by. Measured on an H200 where a sentence says so.
namespace amgsolve::hash {

/// Threads of a block whose groups of lanes have a row each: a row that takes long keeps few others' shared memory. And
/// of one that has a row together.
inline constexpr int threads_of_lanes = 128;
inline constexpr int threads_of_block = 256;

/// One pass: slots of a table for each entry of the longest row. Most rows are half as long, so that their tables are a
/// third full. On an H200, 1.2 and 2.2 are slower for R (A P) and A A.
inline constexpr double slots_per_entry = 1.6;

/// One pass: the longest row of A has at most row_spread times the mean and row_spread entries more. Rows that vary
/// more are put into bins first, in two passes.
inline constexpr double row_spread = 8.0;

struct Tuning {
  std::size_t block_bytes;  ///< one pass: shared memory for the tables of a block
};

/// Four blocks on a multiprocessor, less 7 kB for what each needs besides.
constexpr Tuning tuning_for(ComputeCapability device) { return {shared_bytes(device) / 4 - 7 * 1024}; }

/// Two passes: slots of the tables of each bin, from rows of A P on a mesh with about 8 entries to what 24 kB of shared
/// memory hold with values.
inline constexpr std::array table_slots = {32, 128, 512, 2048};

/// Two passes: a row has a thread for as many slots of its table, up to a warp: larger tables take longer to be cleared
/// and sorted, and a multiprocessor has room for few of them.
inline constexpr int slots_per_lane = 16;
inline constexpr int most_lanes = 32;

/// Two passes: most products of a row that tries the table of each bin before its entries are known. They fit if as
/// many products share an entry as in the products of an AMG setup: 3 in A P, 10 in R (A P), 70 in that of the next
/// level. Where fewer do, the row moves on to the next table.
inline constexpr std::array<Offset, 4> expected_products = {48, 512, 16384, std::numeric_limits<Offset>::max()};

/// Two passes: threads of a launch at most, twice as many as an H200 runs at once. Groups go through their list a grid
/// apart, in its order.
inline constexpr std::int64_t most_threads = 1 << 19;

}  // namespace amgsolve::hash
