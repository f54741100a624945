#pragma once

#include <memory>

#include "core/communicator.hpp"

namespace amgsolve {

/// The memory from which messages of devices are sent, and where they are received.
enum class StageMemory {
  host,   ///< page-locked
  device  ///< of cudaMalloc(), which all MPIs that are CUDA-aware take, as they do not what streams allocate
};

/// Ranks for contexts of a device whose messages pass through other memory than what they lie in; the calling thread
/// waits for the stream. Sums pass through the host. Ranks may have the same device.
/// @param ranks   outlive it. They take device memory where the stage is of it
/// @param device  becomes the thread's current one; used for it alone
std::unique_ptr<Communicator> staged_communicator(const Communicator& ranks, int device, StageMemory memory);

}  // namespace amgsolve
