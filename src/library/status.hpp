#pragma once

#include <amgsolve/amgsolve.hpp>
#include <exception>
#include <optional>

#include "amg/result.hpp"

namespace amgsolve {

/// What an iteration that ended for this reason is to a caller.
Status status_of(StopReason reason);

/// What an error is to a caller; nothing for one that no input should cause.
std::optional<Status> status_of(const std::exception& error);

}  // namespace amgsolve
