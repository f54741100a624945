#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

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

/// Sorts a row by its distinct columns, digit by digit from the lowest, in as many digits of 8 bits as the span of the
/// columns has: two or three, since the columns of a row lie close.
/// @param keys  scratch of 2 · count entries
template <class T>
void sort_by_radix(const Index* cols, const T* values, Index count, std::uint64_t* keys, Index* sorted_cols,
                   T* sorted_values) {
  constexpr int digit_bits = 8;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  const auto [lowest, highest] = std::minmax_element(cols, cols + count);
  const Index first_col = *lowest;
  // Columns relative to the lowest above positions in the row.
  for (Index i = 0; i < count; ++i) {
    keys[i] = static_cast<std::uint64_t>(cols[i] - first_col) << 32 | static_cast<std::uint64_t>(i);
  }
  std::uint64_t* from = keys;
  std::uint64_t* to = keys + count;
  const int end = 32 + static_cast<int>(std::bit_width(static_cast<std::uint32_t>(*highest - first_col)));
  for (int shift = 32; shift < end; shift += digit_bits) {
    const auto digit = [shift](std::uint64_t key) { return static_cast<std::size_t>(key >> shift) % digits; };
    std::array<Index, digits> next{};
    for (Index i = 0; i < count; ++i) {
      ++next[digit(from[i])];
    }
    std::exclusive_scan(next.begin(), next.end(), next.begin(), Index{0});
    for (Index i = 0; i < count; ++i) {
      to[next[digit(from[i])]++] = from[i];
    }
    std::swap(from, to);
  }
  for (Index i = 0; i < count; ++i) {
    sorted_cols[i] = first_col + static_cast<Index>(from[i] >> 32);
    sorted_values[i] = values[from[i] & 0xFFFFFFFFu];
  }
}

/// Writes the entries of a row in the order of their columns, which are distinct.
/// @param cols  readable up to longest_ranked_row entries at least
/// @param keys  scratch of 2 · count entries
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
    sort_by_radix(cols, values, count, keys, sorted_cols, sorted_values);
  }
}

}  // namespace amgsolve
