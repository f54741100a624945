#pragma once

#include "core/types.hpp"

/// What row_merge trades one resource of a GPU for another by. Measured on an H200 where a sentence says so; all of it
/// fits any GPU.
namespace amgsolve::merge {

/// Rows of B that a thread merges: more would not fit into its registers.
inline constexpr int width = 8;

/// Rows of C that a block forms, with a thread each.
inline constexpr int tile = 128;

/// Blocks that a multiprocessor is to hold: with more of them a thread has fewer registers, waits less
/// for memory, but spills. For up to 5 rows of B, and for up to 8: the quickest of 5 to 9 for A P on an H200.
inline constexpr int blocks_of_five_rows = 8;
inline constexpr int blocks_of_eight_rows = 6;

/// Where the rows of C are longer than this, shared memory holds five blocks only, and threads get the registers of
/// five: A A of a 7-point stencil takes 6.8 ms on an H200 instead of 7.2.
inline constexpr int long_row_of_C = 24;
inline constexpr int blocks_of_long_rows = 5;

/// Entries of a row of C that a block keeps on chip at most: what 48 kB hold in double, the shared memory that any GPU
/// grants a block, less what the scan needs.
inline constexpr int most_staged = 29;

/// Lanes that write a row of C from there side by side.
inline constexpr int writing_lanes = 8;

/// Most products of a row that a thread merges; longer rows are sorted. Threads of a block wait for the one with the
/// longest row: with 8192 the square of a scale-free matrix took 50 times as long as by esc.
inline constexpr Offset most_products = 1024;

}  // namespace amgsolve::merge
