#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/communicator.hpp"

namespace amgsolve {

/// Where ranks reach the memory of each other's devices, up to so many bytes go to a rank without NCCL's own kernels,
/// and only between so many ranks.
inline constexpr std::size_t longest_between_kernels = std::size_t{1} << 21;
inline constexpr int most_ranks_with_kernels = 16;

/// Why NCCL's library, which is loaded when it is first asked for, cannot be had; empty where it can.
std::string nccl_problem();

/// Ranks of host memory for contexts of a device each, whose values NCCL sends from device to device on the stream: no
/// thread waits. Collective. CUDA graphs that captured a call are destroyed before it.
/// @param ranks   outlive it
/// @param device  becomes the thread's current one; no two ranks have the same
/// Throws DeviceError on all ranks where NCCL cannot be used.
std::unique_ptr<Communicator> nccl_communicator(const Communicator& ranks, int device);

}  // namespace amgsolve
