#pragma once

#include "core/available_memory.hpp"
#include "core/communicator.hpp"

namespace amgsolve {

/// The ranks on this one's machine. Collective.
int ranks_of_machine(const Communicator& ranks);

/// How many ranks of this one's machine are lower. Collective.
int place_among_neighbours(const Communicator& ranks);

/// What this rank can have of the memory that is left to it and to the other ranks of its machine, or of its device.
/// Collective.
/// @param device  −1: main memory
AvailableMemory part_of_rank(AvailableMemory free, const Communicator& ranks, int device);

}  // namespace amgsolve
