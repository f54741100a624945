#pragma once

#include <memory>

#include "core/communicator.hpp"

namespace amgsolve {

/// Ranks that take device memory (Communicator::takes_device_memory) for contexts of a device: they are given messages
/// where these lie, once the calling thread has waited for the stream. Sums, which are short, pass through the host.
/// Ranks may have the same device.
/// @param ranks   outlive it
/// @param device  becomes the thread's current one; used for it alone
std::unique_ptr<Communicator> direct_communicator(const Communicator& ranks, int device);

}  // namespace amgsolve
