#pragma once

#include <string>
#include <string_view>

#include "src/library/configuration.hpp"

namespace amgsolve {

struct BackendChoice {
  Backend backend = Backend::host;  ///< host or cuda
  std::string reason;               ///< why `automatic` became the host; else empty
};

/// The backend to run on: `automatic` is CUDA where there is a device, else the host. Throws DeviceError that says what
/// to do where CUDA is asked for and cannot be had.
BackendChoice choose_backend(Backend asked);

/// The same for a configuration. Throws ConfigurationError where that backend has not what else is asked for.
BackendChoice choose_backend(const Configuration& configuration);

/// As problem.yaml spells it.
std::string_view to_string(Backend backend);

}  // namespace amgsolve
