#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/types.hpp"

namespace amgsolve {

/// The longest row sorted by rank: quadratic work, but free of branches and a vector at a time.
inline constexpr std::size_t longest_ranked_row = 32;

/// Sorts up to `Width` entries by their distinct columns: the rank of an entry is the number of smaller columns.
/// @param cols  readable up to Width entries
template <std::size_t Width, class T>
void sort_by_rank(const Index* cols, const T* values, Index count, Index* sorted_cols, T* sorted_values) {
  std::array<Index, Width> rank{};
  for (Index j = 0; j < count; ++j) {
    const Index col = cols[j];
    for (std::size_t i = 0; i < Width; ++i) {
      rank[i] += col < cols[i];
    }
  }
  for (Index i = 0; i < count; ++i) {
    const Index position = rank[static_cast<std::size_t>(i)];
    sorted_cols[position] = cols[i];
    sorted_values[position] = values[i];
  }
}

/// Writes the entries of a row in the order of their columns, which are distinct.
/// @param cols  readable up to longest_ranked_row entries at least
/// @param keys  scratch of `count` entries
template <class T>
void sort_row(const Index* cols, const T* values, Index count, std::uint64_t* keys, Index* sorted_cols,
              T* sorted_values) {
  if (count <= 8) {
    sort_by_rank<8>(cols, values, count, sorted_cols, sorted_values);
  } else if (count <= 16) {
    sort_by_rank<16>(cols, values, count, sorted_cols, sorted_values);
  } else if (count <= static_cast<Index>(longest_ranked_row)) {
    sort_by_rank<longest_ranked_row>(cols, values, count, sorted_cols, sorted_values);
  } else {
    for (Index i = 0; i < count; ++i) {
      keys[i] = static_cast<std::uint64_t>(cols[i]) << 32 | static_cast<std::uint64_t>(i);
    }
    std::sort(keys, keys + count);
    for (Index i = 0; i < count; ++i) {
      sorted_cols[i] = static_cast<Index>(keys[i] >> 32);
      sorted_values[i] = values[keys[i] & 0xFFFFFFFFu];
    }
  }
}

}  // namespace amgsolve
