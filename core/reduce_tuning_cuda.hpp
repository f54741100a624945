#pragma once

#include <cstdint>

namespace amgsolve::detail {

/// Blocks of a reduction: several for each multiprocessor of the largest GPU, and a number that does not depend on it.
inline constexpr std::int64_t most_reduction_blocks = 1024;

/// A block alone takes less time for so many than a second launch.
inline constexpr std::int64_t most_items_of_one_block = 4096;

}  // namespace amgsolve::detail
