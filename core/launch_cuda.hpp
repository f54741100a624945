#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

struct CUstream_st;

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

/// Runs a kernel on a stream. Throws std::invalid_argument for more blocks than a grid can have, DeviceError naming the
/// kernel where it cannot start. What CUDA remembers as the last error of an application's call before is not taken for
/// the kernel's.
/// @param arguments  their addresses
void launch_kernel(const void* kernel, const Grid& grid, void** arguments, CUstream_st* stream);

}  // namespace detail

/// The same for arguments as the kernel has them; an empty grid runs nothing.
template <class... Parameters>
void launch(CUstream_st* stream, void (*kernel)(Parameters...), const Grid& grid,
            std::type_identity_t<Parameters>... arguments) {
  if (grid.blocks > 0) {
    const void* const addresses[] = {std::addressof(arguments)..., nullptr};  // null: no array is empty
    detail::launch_kernel(reinterpret_cast<const void*>(kernel), grid, const_cast<void**>(addresses), stream);
  }
}

}  // namespace amgsolve
