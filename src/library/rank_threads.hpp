#pragma once

#include "core/communicator.hpp"

namespace amgsolve {

/// Threads for this rank: as many as were asked for; of 0, with several ranks, its equal part of the machine's cores,
/// unless OMP_NUM_THREADS says otherwise or the rank is bound to cores of its own, which leave 0. Collective.
int threads_of_rank(int asked, const Communicator& ranks);

}  // namespace amgsolve
