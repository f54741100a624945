#include "src/library/backend.hpp"

#include "core/device.hpp"
#include "core/errors.hpp"

namespace amgsolve {

BackendChoice choose_backend(Backend asked) {
  if (asked == Backend::host) {
    return {Backend::host, ""};
  }
  const std::string problem = device_problem();
  if (problem.empty()) {
    return {Backend::cuda, ""};
  }
  if (asked == Backend::cuda) {
    throw DeviceError("'solver.backend' is cuda: " + problem);
  }
  return {Backend::host, problem};
}

std::string_view to_string(Backend backend) {
  switch (backend) {
    case Backend::automatic:
      return "auto";
    case Backend::host:
      return "host";
    case Backend::cuda:
      return "cuda";
  }
  return "";
}

}  // namespace amgsolve
