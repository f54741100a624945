#pragma once

#include <vector>

#include "src/application/job_configuration.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {

/// Every key of problem.yaml, problem.* and output.* beside the library's, bound to a configuration just constructed.
Schema job_schema(JobConfiguration& configuration);

/// The entries that count for this configuration: without problem.generate.* where the matrix comes from a file.
std::vector<const SchemaEntry*> effective_entries(const Schema& schema, const JobConfiguration& configuration);

}  // namespace amgsolve
