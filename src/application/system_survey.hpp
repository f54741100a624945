#pragma once

#include <string>
#include <vector>

#include "amg/memory_forecast.hpp"
#include "core/context.hpp"
#include "src/application/job_configuration.hpp"

/// What can be known of a job's system, for a forecast of its memory, before it is set up.
namespace amgsolve {

/// Of a generated system, as far as small copies of it tell (measure_on_copies()); throws what that does.
/// @param size     as configured
/// @param on_host  whether it will be solved there: how it is stored is for a device to choose
SystemSize measured_size(const JobConfiguration& configuration, const Context<Host>& host, bool on_host,
                         SystemSize size);

/// Of any system: of a generated one as above, of one from a file by the first steps of its setup, where there is
/// memory to read it and for them. Of several ranks each reads the whole. Collective. Throws what reading does.
/// @param warnings  receives what is not wrong but should be known
SystemSize surveyed_size(const JobConfiguration& configuration, Context<Host>& host, const Communicator& ranks,
                         bool on_host, std::vector<std::string>& warnings);

/// A warning of how a run will end.
std::string failure_ahead(const BreakdownError& error);

}  // namespace amgsolve
