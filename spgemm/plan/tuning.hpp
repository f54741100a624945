#pragma once

#include <cstddef>

#include "core/types.hpp"

/// What planned products trade one resource of a GPU for another by.
namespace amgsolve::plan {

/// Shared memory for the rows of C of a block of 128 threads: any GPU grants it, and four such blocks fit on a
/// multiprocessor of an H200.
inline constexpr std::size_t most_block_bytes = 50 * 1024;

/// Mean products of a row from which a planned product is formed anew: the lanes of one warp work on a row, which takes
/// them longer than the algorithms for long rows. On an H200 level 3 of 256³ took 9.3 ms instead of 1.8.
inline constexpr Offset long_row_products = 8192;

}  // namespace amgsolve::plan
