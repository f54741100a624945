#pragma once

#include <cstddef>
#include <cstdint>

namespace amgsolve {

/// Threads of a block where a kernel has no reason for another number: full occupancy up to 32 registers a thread.
inline constexpr int default_block = 256;

/// The grid of one launch; shared_bytes is dynamic shared memory, at most what the device grants a block.
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

/// From here on a kernel may need to be granted its shared memory: 48 kB less what it declares itself.
inline constexpr std::size_t granted_shared_bytes = 32 * 1024;

/// Grants a kernel that much dynamic shared memory. Throws DeviceError where the device has less.
void grant_shared_bytes(const void* kernel, std::size_t bytes);

/// Throws DeviceError naming the kernel where its launch failed.
void check_launch(const void* kernel);

}  // namespace detail
}  // namespace amgsolve
