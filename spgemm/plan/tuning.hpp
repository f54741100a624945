#pragma once

#include <cstddef>

/// What planned products trade one resource of a GPU for another by.
namespace amgsolve {

/// Shared memory for the rows of C of a block of 128 threads: any GPU grants it, and four such blocks fit on a
/// multiprocessor of an H200.
inline constexpr std::size_t most_block_bytes = 50 * 1024;

}  // namespace amgsolve
