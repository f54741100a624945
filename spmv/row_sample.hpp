#pragma once

#include "core/hash.hpp"
#include "core/types.hpp"

namespace amgsolve {

/// A row of each of `count` strata of neighbouring rows, of which there are `rows` in all.
struct RowStrata {
  std::int64_t rows;
  Index count;  ///< at most `rows`

  /// A pseudo-random one, so that no pattern of the rows meets one of the choice.
  AMGSOLVE_HOST_DEVICE std::int64_t row(std::int64_t stratum) const {
    const std::int64_t begin = stratum * rows / count;
    const std::int64_t end = (stratum + 1) * rows / count;
    return begin + static_cast<std::int64_t>(hash64(static_cast<std::uint64_t>(stratum)) >> 1) % (end - begin);
  }

  /// That which a row lies in.
  AMGSOLVE_HOST_DEVICE std::int64_t stratum(std::int64_t row) const { return ((row + 1) * count - 1) / rows; }

  /// Whether it is the one of its stratum.
  bool has(std::int64_t row_) const { return row(stratum(row_)) == row_; }
};

/// What a sample of the rows of a matrix that is yet to be formed tells about its entries.
struct RowSample {
  Index rows = 0;          ///< of the matrix
  Index sampled_rows = 0;  ///< whose entries were counted
  Index longest = 0;       ///< entries of the longest of them
  Offset entries = 0;      ///< of all of them
  Offset squares = 0;      ///< Σ of the squares of their entries

  /// Entries of a row.
  double mean() const;

  /// Entries of the matrix: four and a half standard errors above the estimate; their number where all rows were
  /// counted.
  Offset entries_bound() const;
};

}  // namespace amgsolve
