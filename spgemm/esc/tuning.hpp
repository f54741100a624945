#pragma once

#include "core/types.hpp"

/// What esc and esc_fused trade one resource of a GPU for another by. Measured on an H200 where a sentence says so.
namespace amgsolve::esc {

/// Threads of the blocks that form rows by lanes and warps. Small ones: a row that takes long keeps few others' shared
/// memory.
inline constexpr int block_threads = 128;

/// Most products of a row that four lanes sort in registers, that eight do, that a warp does, and that a small and a
/// large block do in shared memory: in double, 72 kB of it, which every GPU that is served has.
inline constexpr int most_four_lane_products = 32;
inline constexpr int most_eight_lane_products = 128;
inline constexpr int most_warp_products = 1024;
inline constexpr int most_wide_warp_products = 512;  ///< where column and number of a product take more than 32 bits
inline constexpr int most_small_block_products = 2048;
inline constexpr int most_block_products = 6144;

/// esc_fused: products that a warp sorts in a round. Half of them are left for new ones when a row has as many entries
/// as there is room for.
inline constexpr int fused_round = 512;

/// Products that a slice has at least, however little memory is free: enough to keep the GPU busy.
inline constexpr Offset least_slice = Offset{1} << 20;

/// esc_fused: most rows of C. Every block of its second kernel reads the counts of all rows before its own, which takes
/// some microseconds for 16384 rows.
inline constexpr Index most_fused_rows = 16384;

/// esc_fused: room for entries of C, over all rows, before any is counted. 25 MB in double; where rows are short, most
/// of it is never touched.
inline constexpr Offset fused_room = Offset{1} << 21;

}  // namespace amgsolve::esc
