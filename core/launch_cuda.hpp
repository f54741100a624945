#pragma once

#include <cstddef>
#include <cstdint>

namespace amgsolve {

/// Threads of a block where a kernel has no reason for another number: full occupancy up to 32 registers a thread.
inline constexpr int default_block = 256;

/// The grid of one launch; shared_bytes is dynamic shared memory (past 48 kB the kernel has to be granted it first, by
/// cudaFuncSetAttribute).
struct Grid {
  std::int64_t blocks = 0;
  int threads = default_block;
  std::size_t shared_bytes = 0;

  /// A thread for each of `items`.
  static Grid of_threads(std::int64_t items, int threads = default_block) {
    return {(items + threads - 1) / threads, threads};
  }

  /// `lanes` neighbouring threads for each of `items`.
  static Grid of_lanes(std::int64_t items, int lanes, int threads = default_block) {
    return of_threads(items * lanes, threads);
  }
};

namespace detail {

/// Throws std::invalid_argument for more blocks than a grid can have.
unsigned checked_grid_size(std::int64_t blocks);

/// Throws DeviceError naming the kernel where its launch failed.
void check_launch(const void* kernel);

}  // namespace detail
}  // namespace amgsolve
