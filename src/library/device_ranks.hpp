#pragma once

#include <memory>

#include "core/communicator.hpp"
#include "src/library/configuration.hpp"

namespace amgsolve {

/// The device of a rank where none is asked for: those of a machine in turn for its ranks.
/// @param local_rank  among the ranks of the machine
int device_of_rank(int local_rank);

/// Where a rank works, and by how many threads: the backend, which becomes CUDA where all ranks have a device and
/// nothing else is asked for, device_of_rank() and threads_of_rank(). Collective. Throws DeviceError on all ranks where
/// one lacks a device that is asked for.
void place_rank(Configuration& configuration, const Communicator& ranks);

/// Ranks whose contexts have a device each. Messages go by NCCL where it is there and every rank has a device of its
/// own, else from device to device where the ranks take device memory; and through the host where messages do not
/// arrive that way, or take longer between neighbours. Collective.
/// @param ranks   outlive it
/// @param device  of this rank
/// @param wanted  one of these ways; automatic: see above
/// Throws DeviceError on all ranks, ConfigurationError where a way is wanted that cannot be.
std::unique_ptr<Communicator> connect_devices(const Communicator& ranks, int device, DeviceMessages wanted);

/// Spares NCCL what keeps its messages in CUDA graphs apart from others: for a program that waits for a graph with
/// messages before it gives the device any other ones, as solves do (core/repeated_work.hpp). What the environment says
/// of NCCL_GRAPH_MIXING_SUPPORT stays. To be called before connect_devices().
void expect_messages_in_turn();

}  // namespace amgsolve
