#pragma once

#include "core/types.hpp"

/// What esc and esc_fused trade one resource of a GPU for another by. Measured on an H200 where a sentence says so.
namespace amgsolve::esc {

/// Threads of the blocks that form rows by lanes and warps. Small ones: a row that takes long keeps few others' shared
/// memory.
inline constexpr int block_threads = 128;

/// Most products of a row that four lanes sort in registers, that eight do, that a warp does, and that a small and a
/// large block do in shared memory: in double, 80 kB of it, which every GPU that is served has, and 104 kB where column
/// and number of a product take more than 32 bits, which not every one has.
inline constexpr int most_four_lane_products = 32;
inline constexpr int most_eight_lane_products = 128;
inline constexpr int most_warp_products = 1024;
inline constexpr int most_wide_warp_products = 512;  ///< where column and number of a product take more than 32 bits
inline constexpr int most_small_block_products = 2048;
inline constexpr int most_block_products = 6144;
inline constexpr int most_wide_block_products = 4096;  ///< in double where they take more and a block has less

/// Blocks that form rows of at most that many products, small ones for shorter rows: a barrier holds up fewer threads,
/// and a multiprocessor works on more rows. Rows of few_block_keys products a thread at most are sorted as that many.
inline constexpr int small_block_threads = 128;
inline constexpr int large_block_threads = 512;
inline constexpr int few_block_keys = 8;

/// Rows of B that a block lists the products of at a time.
inline constexpr int most_rows_at_a_time = 256;

/// Keys that a lane of a warp has at least. Shorter rows are formed by a few lanes, but in esc_fused.
inline constexpr int fewest_warp_keys = 8;
inline constexpr int fewest_fused_keys = 2;

/// Most sorted products that a lane sums in registers, of which 8 take 16 in double. On an H200 that makes A P of a
/// 7-point stencil 12 % and A A 18 % quicker than to read them one by one; more would cost too many warps.
inline constexpr int most_keys_in_registers = 8;

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
