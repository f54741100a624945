#pragma once

#include <memory>

#include "core/communicator.hpp"

namespace amgsolve {

/// Ranks of host memory for contexts of a device: what lies there passes through page-locked host memory, and the
/// calling thread waits for the stream. Used on the thread, and for the device, that it is made for.
/// @param ranks  outlive it
std::unique_ptr<Communicator> staged_communicator(const Communicator& ranks);

}  // namespace amgsolve
