#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "spmv/multiply_row_host.hpp"

/// A slice of a product on the host, where rows are stored by their patterns.
namespace amgsolve::detail {

/// The values that sums of terms are made of.
template <class Sum>
using ScalarOf = std::conditional_t<std::is_floating_point_v<Sum>, Sum, double>;

/// A name of its own, since g++ takes one whose elements do not depend on a template's parameters for one of them.
template <class Value, Index Lanes>
struct VectorOf {
  typedef Value Type __attribute__((vector_size(static_cast<std::size_t>(Lanes) * sizeof(Value))));
};

/// Several sums side by side.
template <class Sum, Index Lanes>
struct LaneSums {
  using Vector = typename VectorOf<Sum, Lanes>::Type;
  Vector values;

  void add(const Vector& terms) { values += terms; }
  void store(Sum* to) const { std::memcpy(to, &values, sizeof(values)); }
};

template <Index Lanes>
struct LaneSums<JudgedSum, Lanes> {
  using Vector = typename VectorOf<double, Lanes>::Type;
  Vector values;
  Vector errors;
  Vector magnitudes;

  void add(const Vector& terms) {
    add_exactly(values, errors, terms);
    magnitudes += terms < 0.0 ? -terms : terms;
  }
  void store(JudgedSum* to) const {
    double of_lanes[3][static_cast<std::size_t>(Lanes)];
    std::memcpy(of_lanes[0], &values, sizeof(values));
    std::memcpy(of_lanes[1], &errors, sizeof(errors));
    std::memcpy(of_lanes[2], &magnitudes, sizeof(magnitudes));
    for (Index l = 0; l < Lanes; ++l) {
      to[l].value = of_lanes[0][l];
      to[l].error = of_lanes[1][l];
      to[l].magnitude = of_lanes[2][l];
    }
  }
};

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

/// Width columns of the rows of a whole slice, as if all of them had the pattern of these shifts. Sums in vectors:
/// those of an array the compiler would load and store again for each entry, which takes twice as long.
/// @param X  row 0 of the slice is there, k columns
template <Index Width, class T, class Columns, class Sum>
[[gnu::always_inline]] inline void multiply_alike(const T* values, const Index* shifts, Offset length, const T* X,
                                                  Columns k, Sum* sums) {
  // A vector has neighbouring rows of single columns, else the columns of a row.
  constexpr Index lanes = Width == 1 ? static_cast<Index>(64 / sizeof(ScalarOf<Sum>)) : Width;
  constexpr Index vectors = Width > 8 ? 1 : 4;
  constexpr Index rows = Width == 1 ? lanes : 1;  // of a vector
  using Lanes = LaneSums<Sum, lanes>;
  typedef T Factors __attribute__((vector_size(static_cast<std::size_t>(lanes) * sizeof(T))));
  constexpr Index rows_at_once = std::min(slice_rows, vectors * rows);
  for (Index first = 0; first < slice_rows; first += rows_at_once) {
    Lanes of_rows[static_cast<std::size_t>(rows_at_once / rows)] = {};
    if constexpr (Width > 1) {
      const T* const ahead = X + Offset{first + 2 * slice_rows + (length > 0 ? shifts[length - 1] : 0)} * k;
      for (Index row = 0; row < rows_at_once; ++row) {
        __builtin_prefetch(ahead + Offset{row} * k);
      }
    }
    for (Offset e = 0; e < length; ++e) {
#pragma GCC unroll 4
      for (Index v = 0; v < rows_at_once / rows; ++v) {
        const Index row = first + v * rows;
        Factors x;
        std::memcpy(&x, X + Offset{row + shifts[e]} * k, sizeof(x));
        if constexpr (Width == 1) {
          Factors a;
          std::memcpy(&a, values + e * slice_rows + row, sizeof(a));
          of_rows[v].add(__builtin_convertvector(a, typename Lanes::Vector) *
                         __builtin_convertvector(x, typename Lanes::Vector));
        } else {
          of_rows[v].add(static_cast<ScalarOf<Sum>>(values[e * slice_rows + row]) *
                         __builtin_convertvector(x, typename Lanes::Vector));
        }
      }
    }
    for (Index v = 0; v < rows_at_once / rows; ++v) {
      of_rows[v].store(sums + (first + v * rows) * Width);
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
