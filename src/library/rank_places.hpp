#pragma once

#include <string_view>

#include "core/available_memory.hpp"
#include "core/communicator.hpp"

namespace amgsolve {

/// The ranks on this one's machine, or of these those with the same device. Collective.
/// @param device  where it is plugged in (DeviceDescription::bus), since every rank may count from 0; empty: any
int ranks_of_machine(const Communicator& ranks, std::string_view device = {});

/// How many ranks of this one's machine are lower. Collective.
int place_among_neighbours(const Communicator& ranks);

/// Threads for this rank: as many as were asked for; of 0, with several ranks, its equal part of the cores that it may
/// use, unless OMP_NUM_THREADS says otherwise, which leaves 0. Collective.
int threads_of_rank(int asked, const Communicator& ranks);

/// What this rank can have of the memory that is left to it and to the other ranks of its machine, or of its device.
/// Collective.
/// @param device  as above; empty: main memory
AvailableMemory part_of_rank(AvailableMemory free, const Communicator& ranks, std::string_view device);

}  // namespace amgsolve
