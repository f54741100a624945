#pragma once

#include "src/application/job_configuration.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {

/// Every key of problem.yaml, problem.* and output.* beside the library's, bound to a configuration just constructed.
Schema job_schema(JobConfiguration& configuration);

}  // namespace amgsolve
