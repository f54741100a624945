#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/communicator.hpp"

struct ncclComm;

namespace amgsolve {

/// Short messages between peers, ranks of which each reaches the memory of the others' devices, as over NVLink: a
/// kernel writes them there, a flag beside every 8 bytes, and takes what has come, by NCCL's all-to-all sessions of
/// kernels. All of it can be recorded.
class PeerMessages {
 public:
  virtual ~PeerMessages() = default;

  /// Sends and receives those of pairs of peers that are short and few, both ways, and takes them off the lists; both
  /// ranks of a pair decide alike.
  virtual void exchange(std::vector<Communicator::Outgoing>& sends, std::vector<Communicator::Incoming>& receives,
                        CUstream_st* stream) const = 0;

  /// See Communicator::picks_rows().
  virtual bool picks_rows(int rank, std::size_t bytes) const = 0;

  /// x = Σ of the ranks' x. Returns false, and does nothing, where not all ranks are peers or x is too long.
  virtual bool sum(Span<std::int64_t, Cuda> x, CUstream_st* stream) const = 0;

  /// Communicator::sum_blocks() of not too many columns, where all ranks are peers.
  virtual bool sum_blocks(Span<const double, Cuda> partial, Span<double, Cuda> result, CUstream_st* stream) const = 0;
};

/// Null where NCCL is older than 2.28, or is not the one with whose headers this was built, and on ranks without peers.
/// Takes 17 MB of the device. Collective.
/// @param communicator  NCCL's; outlives it
/// @param ranks         the same ones, of host memory
std::unique_ptr<PeerMessages> peer_messages(ncclComm* communicator, const Communicator& ranks);

}  // namespace amgsolve
