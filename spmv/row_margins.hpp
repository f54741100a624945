#pragma once

#include <algorithm>
#include <cstddef>

#include "core/types.hpp"

namespace amgsolve {

/// Rows that are to find room in front of those of a matrix and behind them, in the margins of its arrays
/// (Buffer::widened()): a guess, since their lengths are not known when the matrix is formed.
struct RowMargins {
  Index before = 0;
  Index behind = 0;

  /// Elements of a margin for `margin` rows, of up to twice the mean length of `rows` that have `nnz` entries; as many
  /// as keep the matrix's own ones aligned.
  static std::size_t elements(Index margin, Index rows, Offset nnz) {
    constexpr Offset aligned = 64;
    const Offset mean = nnz / std::max(rows, Index{1}) + 1;
    return margin == 0 ? 0 : static_cast<std::size_t>((2 * mean * margin / aligned + 1) * aligned);
  }
};

}  // namespace amgsolve
