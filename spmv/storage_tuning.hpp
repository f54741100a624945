#pragma once

#include "core/types.hpp"

/// What decides how an Operator is stored and how many lanes work on a row, with the reasons.
namespace amgsolve::tuning {

// Padded storages come nearer to the copy bandwidth than CSR does with short rows, so they may move some more bytes;
// memory is worth something too.
inline constexpr double most_padding = 1.25;

// Rows longer than this leave CSR's lanes enough to read together, and their columns are too scattered for a thread a
// row to read neighbouring values of X: only rows of nearly the same length, as stencils make them, are padded.
inline constexpr double long_row = 16.0;
inline constexpr double most_padding_of_long_rows = 1.05;

// ELL needs no offsets; slices have to save more than they cost.
inline constexpr double least_saving_of_slices = 0.03;

// On the host a loop over a short row ends in a mispredicted branch where rows differ, and goes entry by entry, while
// rows of a slice are summed a vector at a time: the more to a vector, and the shorter the rows, the more that gains.
inline constexpr double most_padding_on_host = 1.4;

// On the host rows in their own order spare sums their way back to it, and sorting the short ones of a prolongator with
// what it takes to store them is as much as the products of a solve gain.
inline constexpr double least_saving_of_windows = 0.03;
inline constexpr double least_sorted_row = 4.0;

// Rows of a slice that have its main pattern are summed a vector at a time, others one by one: on grids with lines of
// 16 unknowns or more products take 0.4 to 0.6 of the time of slices, with lines of 10 0.8, of 7 and 8 as long, of 4
// and 5 1.3 and 1.5 times as long (2 threads of an EPYC with AVX-512).
inline constexpr double most_other_rows = 0.18;

// Products of smaller matrices take a few microseconds in any storage, less than it takes to find the best one.
inline constexpr Offset least_entries = 1 << 20;

// Slices of a grid's rows are padded only where a side of it cuts them.
inline constexpr double most_padding_of_patterns = 1.1;

/// Whether patterns are worth looking for: not in P and R, of which each row has columns far from those of the next.
/// The window of a strip has no more ghosts than own rows where a rank has much to do.
inline constexpr bool may_share_patterns(Index rows, Index cols, double padding) {
  return rows <= cols && cols - rows <= rows && padding <= most_padding_of_patterns;
}

/// Lanes of a warp that share a row in CSR, by its entries and by columns of the operand. Up to two batches of entries
/// (see entries_at_once) for each lane hide the latency of short rows; 8 lanes read whole sectors of 32 bytes, and more
/// of them would only leave fewer rows to work on at a time until rows have four batches for each. Measured on an H200.
/// @param mean_row_length  of the whole matrix, also where this process has a part of its rows
inline int row_lanes(double mean_row_length) {
  int lanes = 1;
  while (lanes < 32 && mean_row_length > (lanes < 8 ? 8 : 16) * lanes) {
    lanes *= 2;
  }
  return lanes;
}

}  // namespace amgsolve::tuning
