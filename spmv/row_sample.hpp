#pragma once

#include "core/types.hpp"

namespace amgsolve {

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
