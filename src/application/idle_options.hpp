#pragma once

#include <string>
#include <vector>

#include "src/application/job_configuration.hpp"
#include "src/library/report.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {

/// What stands for options that were left to the solver.
struct TakenChoices {
  Backend backend = Backend::automatic;  ///< automatic: not known so far, also below
  Method method = Method::automatic;
  CycleType cycle = CycleType::automatic;
  int ranks = 1;
};

/// As far as a report tells of it.
TakenChoices taken_choices(const Configuration& configuration, const Report& report, int ranks);

/// A sentence about each option that has another value than its default and, with the others as they are and with what
/// was taken, takes no effect.
/// @param schema  bound to the configuration
std::vector<std::string> describe_idle_options(const Schema& schema, const JobConfiguration& configuration,
                                               const TakenChoices& taken);

/// Adds those sentences to a report's warnings that are not there, of what it tells.
void tell_idle_options(const Schema& schema, const JobConfiguration& configuration, int ranks, Report& report);

}  // namespace amgsolve
