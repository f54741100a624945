#pragma once

#include <memory>

#include "core/communicator.hpp"

namespace amgsolve {

/// Ranks of host memory for contexts of a device: what lies there passes through page-locked host memory, and the
/// calling thread waits for the stream. Ranks may have the same device.
/// @param ranks   outlive it
/// @param device  becomes the thread's current one; used for it alone
std::unique_ptr<Communicator> staged_communicator(const Communicator& ranks, int device);

}  // namespace amgsolve
