#pragma once

#include <cstddef>

#include "core/types.hpp"

/// What planned products trade one resource of a GPU for another by.
namespace amgsolve::plan {

inline constexpr int block_threads = 128;

/// Shared memory for the rows of C of a block: any GPU grants it, and four such blocks fit on a
/// multiprocessor of an H200.
inline constexpr std::size_t most_block_bytes = 50 * 1024;

/// The positions of products are kept where they take at most 1 / matrices_per_positions of the bytes of A, B and C.
/// Rows of R (A P) have 5 to 15 products an entry: a step that looks for its place costs three times one that knows it.
inline constexpr std::size_t matrices_per_positions = 2;

/// Mean products of a row from which a block works on a row, without positions of its products: as quick on an H200 as
/// forming the product anew (h200/2026-11-22_update_cuda_long_rows.json), where a warp a row is not.
inline constexpr Offset long_row_products = 8192;

}  // namespace amgsolve::plan
