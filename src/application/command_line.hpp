#pragma once

#include <functional>

#include "src/application/job_schema.hpp"

namespace amgsolve {

/// Runs a valid configuration, with its schema for the report, or only tells what that would take, and returns the exit
/// code.
using Job = std::function<int(const JobConfiguration&, const Schema&, Verbosity, bool dry_run)>;

/// The command amgsolve: does what the arguments ask for, which for a problem file is to read, check and run it.
/// Returns the exit code; messages go to the standard error.
int run_command_line(int argc, const char* const* argv, const Job& job);

}  // namespace amgsolve
