#pragma once

#include <cstdint>

#include "core/types.hpp"

/// What the estimate of row sizes trades the time it takes for, with what an H200 needs; any GPU can.
namespace amgsolve::row_sizes {

/// Rows that are sampled, a warp for each: one wave of an H200, with an error of the mean of a sixty-fourth of the
/// rows' deviation. Less where the samples' products alone would take a tenth of a millisecond.
inline constexpr Index most_samples = 4096;
inline constexpr Index least_samples = 512;
inline constexpr double most_sampled_products = 4e6;

/// Blocks that compare the lengths of rows: two a multiprocessor of an H200.
inline constexpr std::int64_t most_length_blocks = 264;

}  // namespace amgsolve::row_sizes
