#pragma once

#include <functional>

#include "src/application/job_schema.hpp"

namespace amgsolve {

/// What to do with a problem.
enum class Task {
  solve,
  analyse,  ///< tell what its matrix is like
  forecast  ///< tell what memory a solve would take
};

/// Does that with a valid configuration, with its schema for the report, and returns the exit code.
using Job = std::function<int(const JobConfiguration&, const Schema&, Verbosity, Task)>;

/// The command amgsolve: does what the arguments ask for, which for a problem file is to read, check and run it.
/// Returns the exit code; messages go to the standard error.
/// @param is_first  of several processes that are told the same: the others leave to the first one whatever is no job
///                  for all of them together
int run_command_line(int argc, const char* const* argv, const Job& job, bool is_first = true);

}  // namespace amgsolve
