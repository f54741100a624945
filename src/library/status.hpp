#pragma once

#include <amgsolve/amgsolve.hpp>
#include <exception>
#include <span>
#include <string_view>

#include "amg/result.hpp"

namespace amgsolve {

/// What an iteration that ended for this reason is to a caller.
Status status_of(StopReason reason);

/// What an error is to a caller; internal_error for one that no input should cause.
Status status_of(const std::exception& error);

struct StatusText {
  Status status;
  std::string_view name;     ///< in reports
  std::string_view meaning;  ///< of the exit code, in a few words
};

/// Every status there is, by its number.
std::span<const StatusText> statuses();

}  // namespace amgsolve
