#pragma once

#include "core/communicator.hpp"
#include "src/library/configuration.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {

/// Leaves out where a rank works and what it may take there, which may be another on each.
void forget_place(Configuration& configuration);

/// Refuses options that differ between ranks: they would wait for each other for ever. Of a path the last name counts,
/// since folders may lie elsewhere on another machine. Throws ConfigurationError on all ranks alike, naming the first
/// key that differs. Collective.
void require_same_options(const Schema& schema, const Communicator& ranks);

}  // namespace amgsolve
