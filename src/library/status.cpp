#include "src/library/status.hpp"

#include <new>

#include "core/errors.hpp"

namespace amgsolve {
namespace {

template <class... Errors>
bool is_any_of(const std::exception& error) {
  return ((dynamic_cast<const Errors*>(&error) != nullptr) || ...);
}

}  // namespace

std::string_view name(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::not_converged:
      return "not_converged";
    case Status::bad_configuration:
      return "bad_configuration";
    case Status::bad_input:
      return "bad_input";
    case Status::out_of_memory:
      return "out_of_memory";
    case Status::breakdown:
      return "breakdown";
    case Status::device_failed:
      return "device_failed";
  }
  return "unknown";
}

Status status_of(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return Status::converged;
    case StopReason::max_iterations:
    case StopReason::stagnated:
      return Status::not_converged;
    case StopReason::diverged:
    case StopReason::not_finite:
    case StopReason::indefinite_matrix:
    case StopReason::indefinite_preconditioner:
      break;
  }
  return Status::breakdown;
}

std::optional<Status> status_of(const std::exception& error) {
  if (is_any_of<ConfigurationError>(error)) {
    return Status::bad_configuration;
  }
  if (is_any_of<InputError, OutputError>(error)) {
    return Status::bad_input;
  }
  if (is_any_of<OutOfMemoryError, std::bad_alloc>(error)) {
    return Status::out_of_memory;
  }
  if (is_any_of<BreakdownError>(error)) {
    return Status::breakdown;
  }
  if (is_any_of<DeviceError>(error)) {
    return Status::device_failed;
  }
  return std::nullopt;
}

}  // namespace amgsolve
