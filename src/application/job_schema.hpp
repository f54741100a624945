#pragma once

#include <string_view>
#include <vector>

#include "src/application/job_configuration.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {

/// Every key of problem.yaml, problem.* and output.* beside the library's, bound to a configuration just constructed.
Schema job_schema(JobConfiguration& configuration);

/// Why a key below problem.generate says nothing about this problem, which is on a mesh or on a grid; empty where it
/// does.
std::string_view reason_not_to_take(std::string_view key, const ProblemConfiguration& problem);

/// The entries that count for this configuration: of problem.generate.* those that say something about it, none where
/// the matrix comes from a file.
std::vector<const SchemaEntry*> effective_entries(const Schema& schema, const JobConfiguration& configuration);

}  // namespace amgsolve
