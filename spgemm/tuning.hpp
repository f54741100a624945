#pragma once

#include <cstddef>

#include "core/types.hpp"

/// Constants of the sparse products that trade one resource of a GPU for another: chosen for an H200 (132
/// multiprocessors, 228 kB of shared memory each). Where a benchmark has confirmed one, its comment says so.
namespace amgsolve::tuning {

/// esc: products formed at a time, at least, however little memory is free: a slice that keeps the GPU busy.
inline constexpr Offset esc_least_slice = Offset{1} << 20;

/// esc_fused: rows of C that it forms at most. Every block of its second kernel reads the counts of all rows before its
/// own: 16384 of them take some microseconds.
inline constexpr Index fused_rows = 16384;

/// esc_fused: entries of C that there is room for, over all rows, before any is counted: 25 MB in double, which no
/// multiprocessor ever touches where rows are short.
inline constexpr Offset fused_room = Offset{1} << 21;

/// thin: columns that a warp accumulates at a time, a multiple of 32: in double, 4.6 kB of shared memory a warp leave
/// room for 48 warps a multiprocessor.
inline constexpr Index thin_columns = 512;

/// thin: products of a row, times the chunks of columns it may be read for, that a warp works through: more would keep
/// a warp busy for milliseconds.
inline constexpr Offset thin_most_products = Offset{1} << 16;

/// thin: mean entries of a row of B from which on a block of 128 threads adds one row at a time. On an H200 R (A P) on
/// the third level of 256^3, 128 M products by rows of 78, takes 1.5 ms so and 9.5 by warps.
inline constexpr Index thin_block_row = 16;

/// thin: columns that a block accumulates at a time, a multiple of 32: in double, three blocks of 73 kB, 3 kB of rows
/// of B and 1 kB of the driver's fit on a multiprocessor.
inline constexpr Index thin_block_columns = 8128;

/// thin: products of a row, times the chunks of columns it may be read for, that a block works through: milliseconds.
inline constexpr Offset thin_most_block_products = Offset{1} << 22;

/// auto: products of a mean row of a C of few columns from which on thin takes it by blocks, and rows that occupy the
/// GPU. On an H200 rows of 17 000 to 114 000 products take half as long as by hash, 20 rows as long as by esc.
inline constexpr double auto_thin_row_products = 4096;
inline constexpr Index auto_thin_rows = 64;

/// row_merge: blocks of 128 threads that a multiprocessor is to hold, which decides the registers of each thread, for
/// up to 5 rows of B and for up to 8: of 5 to 9 the quickest for A P on an H200, where more threads wait less but
/// spill. Where more entries of a row of C are kept on chip than six blocks have shared memory for, threads get what
/// five leave them: A A of a 7-point stencil takes 6.8 ms instead of 7.2.
inline constexpr int merge_blocks_of_five = 8;
inline constexpr int merge_blocks = 6;
inline constexpr int merge_blocks_of_long_rows = 5;
inline constexpr int merge_long_staged_row = 24;

/// row_merge: entries of a row that a block keeps on chip at most: what 48 kB hold in double, beside what the scan
/// needs.
inline constexpr int merge_most_staged = 29;

/// row_merge: products of a row that are merged at most. With 8192 the square of a scale-free matrix took 50 times as
/// long as by esc: threads with the longest rows keep the others of their block waiting.
inline constexpr Offset merge_most_products = 1024;

/// row_merge: the longest row of B that auto merges: a thread takes an entry at a time.
inline constexpr Index merge_longest_row = 32;

/// hash in one pass: slots of a table for each entry of the longest row. Rows are half as long as the longest, so that
/// tables are a third full; on an H200 1.2 and 2.2 are slower for R (A P) and A A.
inline constexpr double pass_slots_per_entry = 1.6;

/// hash in one pass: the longest row of A may be so many times the mean, and so many entries longer; what varies more
/// is sorted into bins first.
inline constexpr double pass_row_spread = 8.0;

/// hash in one pass: shared memory of a block of 128 threads, so that four fit on a multiprocessor.
inline constexpr std::size_t pass_block_bytes = 50 * 1024;

/// auto: products in all that esc_fused forms at least cost, where rows are few enough for its single kernel and have
/// less than auto_thin_row_products each: on an H200 34 µs for 10 to 100 rows, 60 µs for a million products, where hash
/// in one pass takes 54 and 85; for 3 million both take 110.
inline constexpr double auto_fused_products = 2.5e6;

}  // namespace amgsolve::tuning
