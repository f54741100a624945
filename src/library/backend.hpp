#pragma once

#include "src/library/configuration.hpp"

namespace amgsolve {

/// Throws DeviceError where the backend asked for is not in this build.
void require_backend(Backend backend);

}  // namespace amgsolve
