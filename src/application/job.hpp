#pragma once

#include "src/application/job_configuration.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {

/// Runs a valid configuration from the matrix to the files asked for, and prints the hierarchy, the residual history,
/// the times and the outcome on the way. Returns the exit code, the number of a Status: how the solve ended.
///
/// Throws the errors of core/errors.hpp where it cannot come to a solve or write its files; the JSON report, where one
/// is asked for, is then written all the same, with the status and the message.
/// @param schema  of the configuration, for the report
int run_job(const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity);

}  // namespace amgsolve
