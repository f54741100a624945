#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace amgsolve {

/// Row and column indices: 32 bits halve the index traffic of a sparse product. A matrix has at most 2³¹ − 1 rows.
using Index = std::int32_t;

/// Row offsets and entry counts: 64 bits, since matrices past 2³¹ nonzeros are ordinary on a 141 GB card.
using Offset = std::int64_t;

inline constexpr Index max_index = std::numeric_limits<Index>::max();

/// n as an Index. Throws InputError naming `what` and n where n is negative or does not fit.
Index checked_index(std::int64_t n, const char* what);

/// Product of two sizes in bytes or elements. Throws InputError naming `what` and both factors where it overflows 64
/// bits.
std::size_t checked_multiply(std::size_t a, std::size_t b, const char* what);

}  // namespace amgsolve
