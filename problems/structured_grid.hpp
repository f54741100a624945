#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/types.hpp"

namespace amgsolve {

/// Consecutive unknowns first … last − 1: the rows that a rank builds of a matrix or a vector.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  std::int64_t count() const { return last - first; }
};

/// Cut off at the end of whatever grid they are rows of.
inline constexpr RowRange all_rows{0, std::numeric_limits<std::int64_t>::max()};

/// A range cut off at the end of `rows`. Throws InputError where they are more than the rows of a matrix can be.
inline RowRange cut_rows(RowRange range, std::int64_t rows) {
  const std::int64_t last = std::min(range.last, rows);
  const RowRange cut{std::min(range.first, last), last};
  checked_index(cut.count(), "unknowns of the grid");
  return cut;
}

/// a · b. Throws InputError where twice as many cannot be counted in 64 bits, so that none are taken for a sign.
inline std::int64_t count_unknowns(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(
      checked_multiply(static_cast<std::size_t>(a), 2 * static_cast<std::size_t>(b), "unknowns of the grid") / 2);
}

/// A structured grid of unknowns in 2 or 3 dimensions; unknown (i, j, k) has the number i + nx · (j + ny · k).
struct StructuredGrid {
  int dimensions = 2;
  std::array<std::int64_t, 3> size{1, 1, 1};  ///< unknowns per direction; 1 past `dimensions`

  /// Throws InputError where they are too many to be counted in 64 bits.
  std::int64_t unknowns() const { return count_unknowns(size[2], count_unknowns(size[0], size[1])); }

  /// The unknowns in a range, cut off at the end of the grid. Throws InputError where they are more than the rows of a
  /// matrix can be.
  RowRange rows(RowRange range) const { return cut_rows(range, unknowns()); }
};

}  // namespace amgsolve
