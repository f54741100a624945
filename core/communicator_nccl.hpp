#pragma once

#include <memory>
#include <string>

#include "core/communicator.hpp"

namespace amgsolve {

/// Why NCCL's library, which is loaded when it is first asked for, cannot be had; empty where it can.
std::string nccl_problem();

/// Ranks of host memory for contexts of a device each, whose values NCCL sends from device to device on the stream: no
/// thread waits. Collective. CUDA graphs that captured a call are destroyed before it.
/// @param ranks   outlive it
/// @param device  becomes the thread's current one; no two ranks have the same
/// Throws DeviceError on all ranks where NCCL cannot be used.
std::unique_ptr<Communicator> nccl_communicator(const Communicator& ranks, int device);

}  // namespace amgsolve
