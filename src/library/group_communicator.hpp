#pragma once

#include <amgsolve/process_group.hpp>
#include <memory>

#include "core/communicator.hpp"

namespace amgsolve {

/// The ranks that a program's processes are. What those throw is a CommunicationError.
std::unique_ptr<const Communicator> communicator_of(std::shared_ptr<const ProcessGroup> processes);

}  // namespace amgsolve
