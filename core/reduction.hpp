#pragma once

#include <cstdint>

namespace amgsolve {

/// Sums over [0, n) are formed block by block of this many, then over the blocks from left to right: the same bits on
/// any number of threads, and on host and device.
inline constexpr std::int64_t reduction_block = 4096;

/// Blocks that [0, n) is made of.
inline constexpr std::int64_t reduction_blocks(std::int64_t n) { return (n + reduction_block - 1) / reduction_block; }

/// Independent sums that a block of a multivector of k columns has for each column: row r of the block goes to the sum
/// r mod lanes, in ascending order, and the sums are joined as a balanced tree: l and l + lanes / 2, and so on.
inline constexpr int reduction_lanes(std::int64_t k) { return k <= 1 ? 512 : k <= 2 ? 256 : k <= 4 ? 128 : 64; }

}  // namespace amgsolve
