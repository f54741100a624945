#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amgsolve/export.hpp>

namespace amgsolve {

/// How a call ended. The application's exit codes are these numbers.
enum class Status : int {
  converged = 0,
  not_converged = 1,  ///< not within max_iterations; x holds the last iterate
  bad_configuration = 2,
  bad_input = 3,
  out_of_memory = 4,
  breakdown = 5,  ///< NaN, divergence, a matrix that is not positive definite
  device_failed = 6
};

/// The name of a status as reports print it, for example "not_converged".
AMGSOLVE_EXPORT std::string_view name(Status status);

}  // namespace amgsolve
