#pragma once

#include <cstdint>

namespace amgsolve {

/// Sums over [0, n) are formed block by block of this many, then over the blocks from left to right: the same bits on
/// any number of threads, and on host and device.
inline constexpr std::int64_t reduction_block = 4096;

/// Blocks that [0, n) is made of.
inline constexpr std::int64_t reduction_blocks(std::int64_t n) { return (n + reduction_block - 1) / reduction_block; }

}  // namespace amgsolve
