#pragma once

#include <cstddef>

#include "core/types.hpp"

/// What planned products trade one resource of a GPU for another by.
namespace amgsolve::plan {

/// Shared memory for the rows of C of a block of 128 threads: any GPU grants it, and four such blocks fit on a
/// multiprocessor of an H200.
inline constexpr std::size_t most_block_bytes = 50 * 1024;

/// Mean products of a row from which a block works on a row, without places of its products: as quick on an H200 as
/// forming the product anew (h200/2026-11-22_update_cuda_long_rows.json), where a warp a row is not.
inline constexpr Offset long_row_products = 8192;

}  // namespace amgsolve::plan
