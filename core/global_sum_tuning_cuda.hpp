#pragma once

namespace amgsolve::detail {

/// Threads of the block that adds up a column's sums of blocks of rows: enough to have those of 4096 blocks, of
/// 16.8 M rows, after four of each.
inline constexpr int sum_threads = 1024;

}  // namespace amgsolve::detail
