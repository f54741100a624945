#pragma once

#include "core/types.hpp"

/// What the kernels of the smoothed prolongator trade against each other; measured on an H100 and an H200. All fit any
/// device of compute capability 8.0 and above.
namespace amgsolve::prolongator {

inline constexpr int block_threads = 128;
inline constexpr int block_warps = block_threads / 32;

/// Entries of the longest rows of A that a thread keeps in registers. With 16 it would take twice as many of them.
inline constexpr int longest_of_thread = 8;

/// Lanes that form a row of A together where the longest of the sample has at most longest_of_few_lanes entries: the
/// fewer, the more rows share what a block costs. Longer rows take a warp each.
inline constexpr int few_lanes = 8;
inline constexpr Index longest_of_few_lanes = 64;

/// Bounds of the windows, which are else as long as the longest row of the sample: the rows of Galerkin operators
/// seldom pass 1024 entries, and four such windows fit into the shared memory of a block of any device.
inline constexpr int narrowest_window = 32;
inline constexpr int widest_window = 1024;

/// Blocks that a multiprocessor is to hold, which decides the registers of a thread: with these, it hardly spills.
inline constexpr int resident_blocks_of_threads = 8;
inline constexpr int resident_blocks_of_lanes = 10;

/// Rows that a guess at the entries of P is made from.
inline constexpr Index most_samples = 4096;

}  // namespace amgsolve::prolongator
