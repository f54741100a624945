#pragma once

namespace amgsolve {

/// What the memory of a storage follows from, of all ranks: known, or guessed before there is a matrix.
struct RowLengths {
  double rows;
  double entries;
  double longest;                 ///< entries of the longest row
  double in_slices;               ///< places of all rows, each padded to the longest of its slice
  double in_windows = in_slices;  ///< the same as a SellMatrix has them: see rows_in_slices()
};

}  // namespace amgsolve
