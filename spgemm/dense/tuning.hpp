#pragma once

#include "core/compute_capability.hpp"
#include "core/types.hpp"

/// What thin trades one resource of a GPU for another by. Measured on an H200 where a sentence says so.
namespace amgsolve::thin {

/// Columns that a warp accumulates at a time, a multiple of 32. In double they take 4.6 kB of shared memory, which
/// leaves room for 48 warps on a multiprocessor of 228 kB.
inline constexpr Index warp_columns = 512;

/// Threads of a block whose warps have a row of C each, and of one that has a row together.
inline constexpr int threads_of_warps = 256;
inline constexpr int threads_of_block = 128;

/// Most products of a row, times the chunks of columns that it is read for, that a warp or a block works through: some
/// milliseconds. Longer rows are sorted instead.
inline constexpr Offset most_warp_products = Offset{1} << 16;
inline constexpr Offset most_block_products = Offset{1} << 22;

/// Mean entries of a row of B from which on a block, and not a warp, has a row of C. On an H200, R (A P)
/// on the third level of 256^3 (rows of 78 entries, 128 million products) takes 1.5 ms by blocks and 9.5 by warps.
inline constexpr Index block_row = 16;

struct Tuning {
  Index block_columns;  ///< that a block accumulates at a time, a multiple of 32
};

/// Three blocks on a multiprocessor, each with 9 bytes a column in double and 4.5 kB besides: 8128 columns on an H200.
constexpr Tuning tuning_for(ComputeCapability device) {
  return {static_cast<Index>((shared_bytes(device) / 3 - 4608) / 9 / 32 * 32)};
}
static_assert(tuning_for({9, 0}).block_columns == 8128);

}  // namespace amgsolve::thin
