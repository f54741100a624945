#pragma once

#include <memory>

#include "core/communicator.hpp"

namespace amgsolve {

/// Ranks of host memory for contexts of a device each, whose values NCCL sends from device to device on the stream: no
/// thread waits. Collective. CUDA graphs that captured a call are destroyed before it.
/// @param ranks   outlive it
/// @param device  becomes the thread's current one; no two ranks have the same
/// Throws DeviceError on all ranks where NCCL cannot be used.
std::unique_ptr<Communicator> nccl_communicator(const Communicator& ranks, int device);

}  // namespace amgsolve
