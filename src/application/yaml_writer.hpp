#pragma once

#include <string>

#include "src/application/job_schema.hpp"

namespace amgsolve {

/// The whole configuration as YAML that reads back as the same, wherever it is kept: paths are absolute.
std::string write_configuration(const Schema& schema, const JobConfiguration& configuration);

}  // namespace amgsolve
