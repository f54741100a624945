#pragma once

#include <functional>

#include "core/communicator.hpp"
#include "src/application/job_configuration.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {

/// Runs a valid configuration from the matrix to the files asked for, and prints the hierarchy, the residual history,
/// the times and the outcome on the way. Returns the exit code, the number of a Status: how the solve ended.
///
/// Throws the errors of core/errors.hpp where it cannot come to a solve or write its files; the JSON report, where one
/// is asked for, is then written all the same, with the status and the message.
/// @param schema  of the configuration, for the report
/// @param stop    asked often whether to end (Context::set_stop()): the tables so far and the report are written, the
///                solution is not, and the status is interrupted; of several ranks at the next phase of the setup
///                or the next iteration; empty: never
/// @param ranks   that share the work, each of which calls this: of several the first one writes the files, and all
///                return the same
/// @param meet    called with the exit code before the report is written: the others are through; empty: nothing is
int run_job(const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity,
            const std::function<bool()>& stop = {}, const Communicator& ranks = Communicator::serial(),
            const std::function<void(int)>& meet = {});

/// Prints what a look at the matrix tells, and which keys to change because of it; the JSON report has it as
/// `analysis`. Nothing is solved and no solution written. Returns 0; else as run_job().
int analyse_job(const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity,
                const std::function<bool()>& stop = {});

/// Prints the forecast of the memory that the job would take, level by level, beside what there is. Nothing is solved
/// and no solution written; a matrix from a file is read where there is memory for it, by every rank. Returns 0, or
/// throws OutOfMemoryError where it would not fit; else as run_job().
int dry_run_job(const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity,
                const Communicator& ranks = Communicator::serial(), const std::function<void(int)>& meet = {});

}  // namespace amgsolve
