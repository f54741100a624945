#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/vectors_host.hpp"
#include "spmv/multiply_row_host.hpp"

/// A slice of a product on the host, where rows are stored by their patterns.
namespace amgsolve::detail {

/// Whether all rows of a whole slice reach only columns of the matrix by the pattern of one of them.
inline bool is_within(const Index* shifts, Offset length, Index first, Index cols) {
  Index lowest = 0;
  Index highest = 0;
  for (Offset k = 0; k < length; ++k) {
    lowest = std::min(lowest, shifts[k]);
    highest = std::max(highest, shifts[k]);
  }
  return first + lowest >= 0 && first <= cols - slice_rows - highest;
}

/// Width columns of the rows of a whole slice, as if all of them had the pattern of these shifts: four vectors at a
/// time, of neighbouring rows of a single column, else of a row's columns.
/// @param X  row 0 of the slice is there, k columns
template <Index Width, class T, class Columns, class Sum>
[[gnu::always_inline]] inline void multiply_alike(const T* values, const Index* shifts, Offset length, const T* X,
                                                  Columns k, Sum* sums) {
  constexpr Index most = 4;
  if constexpr (Width == 1) {
    using Scalar = ScalarOf<Sum>;
    constexpr std::size_t lanes = lanes_of<Scalar>(slice_rows);
    const auto convert = [](const T* from) {
      return __builtin_convertvector(load_lanes<lanes>(from), Vector<Scalar, lanes>);
    };
    constexpr auto rows = static_cast<Index>(lanes);
    constexpr Index at_once = std::min(most, slice_rows / rows);
    for (Index first = 0; first < slice_rows; first += at_once * rows) {
      LaneSums<Sum, lanes> of_rows[std::size_t{at_once}] = {};
      for (Offset e = 0; e < length; ++e) {
#pragma GCC unroll 4
        for (Index v = 0; v < at_once; ++v) {
          const Index row = first + v * rows;
          of_rows[v].add(convert(values + e * slice_rows + row) * convert(X + Offset{row + shifts[e]} * k));
        }
      }
      for (Index v = 0; v < at_once; ++v) {
        of_rows[v].store_to(sums + first + v * rows);
      }
    }
  } else {
    constexpr Index rows = Width > 8 ? 1 : most;
    for (Index first = 0; first < slice_rows; first += rows) {
      const T* const ahead = X + Offset{first + 2 * slice_rows + (length > 0 ? shifts[length - 1] : 0)} * k;
      for (Index row = 0; row < rows; ++row) {
        __builtin_prefetch(ahead + Offset{row} * k);
      }
      RowSums<Width, Sum> of_rows[std::size_t{rows}];
      for (Offset e = 0; e < length; ++e) {
#pragma GCC unroll 4
        for (Index row = 0; row < rows; ++row) {
          of_rows[row].add(values[e * slice_rows + first + row], X + Offset{first + row + shifts[e]} * k);
        }
      }
      for (Index row = 0; row < rows; ++row) {
        of_rows[row].store_to(sums + (first + row) * Width);
      }
    }
  }
}

/// The rows of a slice, at most. Where nearly all have one pattern they go together, and those that have not once more.
template <Index Width, class T, class Columns, class Sum>
[[gnu::noinline]] void multiply_batch(const PatternRef<T> A, Index first, Index count, const T* X, Columns k, Index j,
                                      Sum* sums) {
  const std::uint8_t* const patterns = A.patterns + first;
  const std::uint8_t pattern = main_pattern(patterns, count);
  const Index* const shifts = A.shifts + A.starts[pattern];
  const Offset length = A.starts[pattern + 1] - A.starts[pattern];
  if (count < slice_rows || (Width == 1 && k != 1) || !is_within(shifts, length, first, A.cols)) {
    for (Index i = 0; i < count; ++i) {
      multiply_row<Width>(A, first + i, X, k, j, sums + i * Width);
    }
    return;
  }
  multiply_alike<Width>(A.values + A.row(first).first, shifts, length, X + Offset{first} * k + j, k, sums);
  std::uint64_t words[slice_rows / 8];
  std::memcpy(words, patterns, sizeof(words));
  for (Index w = 0; w < slice_rows / 8; ++w) {
    for (std::uint64_t others = words[w] ^ (pattern * std::uint64_t{0x0101010101010101}); others != 0;) {
      const Index i = std::countr_zero(others) / 8;
      others &= ~(std::uint64_t{0xFF} << (8 * i));
      multiply_row<Width>(A, first + 8 * w + i, X, k, j, sums + (8 * w + i) * Width);
    }
  }
}

}  // namespace amgsolve::detail
