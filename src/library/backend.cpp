#include "src/library/backend.hpp"

#include <stdexcept>

#include "core/device.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"

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
  return {Backend::host, AMGSOLVE_HAVE_CUDA ? problem : "a build without CUDA"};
}

BackendChoice choose_backend(const Configuration& configuration) {
  BackendChoice choice = choose_backend(configuration.backend);
  try {
    const auto check = choice.backend == Backend::host ? check_algorithm<Host> : check_algorithm<Cuda>;
    check(*configuration.amg.spgemm.algorithm);
  } catch (const std::invalid_argument& error) {
    throw ConfigurationError(format_text("'spgemm.algorithm' does not go with the backend: {}", error.what()));
  }
  return choice;
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
