#pragma once

#include <cmath>
#include <cstdint>

#include "core/host_device.hpp"
#include "core/types.hpp"

namespace amgsolve {

/// Unknowns of a node of a shell or a frame: blocks of no more are worked on close by, since every step waits for the
/// one before.
inline constexpr Index small_block = 6;

/// X of X M = W, all b × b, by elimination of columns with pivots chosen from the rows: eliminate() for all columns in
/// order, then substitute() for all in the reverse order. A column of M that those before it span takes no part, and X
/// has zeros in the place of one of its columns. The work of one thread, 2 b³ flops.
template <class T>
struct RightDivision {
  Index b;
  T* W;           ///< becomes X, of which it has column pivots_c in column c
  T* M;           ///< scratch
  Index* pivots;  ///< −1: column c takes no part

  /// Of a column as it was, what passes for rounding errors: √ε of T.
  static constexpr T dependence = sizeof(T) == sizeof(double) ? T(1.5e-8) : T(3.5e-4);

  /// Takes column c out of those behind it. Of the row that is its pivot nothing is left there.
  /// @param largest  entry of column c of M, at first
  AMGSOLVE_HOST_DEVICE void eliminate(Index c, T largest) const {
    const Index pivot = pivot_row(c, largest);
    pivots[c] = pivot;
    if (pivot < 0) {
      return;
    }
    T* const factors = M + std::int64_t{pivot} * b;
    const T divisor = factors[c];
    for (Index d = c + 1; d < b; ++d) {
      factors[d] /= divisor;
    }
    const auto eliminate_from = [&](T* values) {
      const T value = values[c];
      for (Index d = c + 1; d < b; ++d) {
        values[d] -= factors[d] * value;
      }
    };
    for (Index r = 0; r < b; ++r) {
      eliminate_from(W + std::int64_t{r} * b);
      if (r != pivot) {
        eliminate_from(M + std::int64_t{r} * b);
      }
    }
    for (Index d = c + 1; d < b; ++d) {
      factors[d] = T{0};
    }
  }

  /// Column c of X, from those behind it.
  AMGSOLVE_HOST_DEVICE void substitute(Index c) const {
    if (pivots[c] < 0) {
      return;
    }
    for (Index r = 0; r < b; ++r) {
      T* const values = W + std::int64_t{r} * b;
      T sum = values[c];
      for (Index d = c + 1; d < b; ++d) {
        sum -= pivots[d] >= 0 ? values[d] * M[std::int64_t{pivots[d]} * b + c] : T{0};
      }
      values[c] = sum / M[std::int64_t{pivots[c]} * b + c];
    }
  }

 private:
  /// The row with the largest entry of column c, which is no pivot yet: those have a zero there. −1 where elimination
  /// left of the column no more than rounding.
  AMGSOLVE_HOST_DEVICE Index pivot_row(Index c, T largest) const {
    T left = 0;
    Index best = -1;
    for (Index r = 0; r < b; ++r) {
      if (const T size = std::fabs(M[std::int64_t{r} * b + c]); size > left) {
        left = size;
        best = r;
      }
    }
    return left > dependence * largest ? best : -1;
  }
};

}  // namespace amgsolve
