#pragma once

#include "amg/memory_forecast.hpp"
#include "core/context.hpp"
#include "src/application/job_configuration.hpp"

namespace amgsolve {

/// Measures in a fraction of a second what levels a generated problem will have: two small copies of it, of the same
/// options, cells in a block of the coefficient and Péclet number of a cell, are set up, and solved where the method
/// keeps a vector for each iteration. A quantity Q of grids of n_d points in direction d is taken to be a Π (n_d − c),
/// as the entries of a box stencil and the aggregates within a boundary are, with a and c that the copies tell.
/// What they do not tell is left as it is: all of problems with vectors from files, and coarse levels that are too
/// small in a copy. Throws what the setup and the solve of a copy do, and InterruptedError; the size then stays as it
/// is.
/// @param host  copies have memory of their own, but its threads, and end where it is asked to (Context::set_stop())
/// @param size  of the problem; receives its steps, iterations and what else a setup finds out
void measure_on_copies(const JobConfiguration& configuration, const Context<Host>& host, SystemSize& size);

}  // namespace amgsolve
