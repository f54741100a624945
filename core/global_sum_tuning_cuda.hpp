#pragma once

namespace amgsolve::detail {

/// Threads of the block that adds up a column's sums of blocks of rows, and how many of these a thread waits for at a
/// time: enough to have those of 4096 blocks, of 16.8 M rows, at once.
inline constexpr int sum_threads = 1024;
inline constexpr int sum_loads = 4;

}  // namespace amgsolve::detail
