#include "src/library/status.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "core/errors.hpp"

namespace amgsolve {
namespace {

template <class... Errors>
bool is_any_of(const std::exception& error) {
  return ((dynamic_cast<const Errors*>(&error) != nullptr) || ...);
}

constexpr std::array status_texts{
    StatusText{Status::converged, "converged", "converged"},
    StatusText{Status::not_converged, "not_converged", "not converged within the iterations allowed"},
    StatusText{Status::bad_configuration, "bad_configuration", "usage or configuration"},
    StatusText{Status::bad_input, "bad_input", "input or output"},
    StatusText{Status::out_of_memory, "out_of_memory", "out of memory"},
    StatusText{Status::breakdown, "breakdown", "breakdown: NaN, divergence, indefinite matrix"},
    StatusText{Status::device_failed, "device_failed", "device unavailable or failed"},
    StatusText{Status::interrupted, "interrupted", "interrupted by a signal or by the program"},
    StatusText{Status::internal_error, "internal_error", "internal error: a mistake in amgsolve"},
};

}  // namespace

std::span<const StatusText> statuses() { return status_texts; }

std::string_view name(Status status) {
  const auto found = std::ranges::find(status_texts, status, &StatusText::status);
  return found == status_texts.end() ? "unknown" : found->name;
}

Status status_of(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
    case StopReason::attained:
      return Status::converged;
    case StopReason::max_iterations:
    case StopReason::stagnated:
      return Status::not_converged;
    case StopReason::interrupted:
      return Status::interrupted;
    case StopReason::diverged:
    case StopReason::indefinite_matrix:
    case StopReason::indefinite_preconditioner:
    case StopReason::exhausted:
    case StopReason::singular:
    case StopReason::not_finite:
      break;
  }
  return Status::breakdown;
}

Status status_of(const std::exception& error) {
  if (const auto* const translated = dynamic_cast<const Exception*>(&error)) {
    return translated->status();
  }
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
  if (is_any_of<InterruptedError>(error)) {
    return Status::interrupted;
  }
  return Status::internal_error;
}

}  // namespace amgsolve
