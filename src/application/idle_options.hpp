#pragma once

#include <string>
#include <vector>

#include "src/application/job_configuration.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {

/// A sentence about each option that has another value than its default and, with the others as they are, takes no
/// effect.
/// @param schema  bound to the configuration
std::vector<std::string> describe_idle_options(const Schema& schema, const JobConfiguration& configuration);

}  // namespace amgsolve
