#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace amgsolve {

/// Processes that solve systems together, each with some of the rows: what a Solver needs of them, without MPI.
/// <amgsolve/mpi.hpp> makes one of a communicator of MPI; a program with other means of sending messages may make its
/// own. All processes call the same functions in the same order, exchange() apart. What a function throws leaves the
/// call of the Solver as it is, on this process; the others may wait for it, so that the program should end them all.
class ProcessGroup {
 public:
  /// Bytes to send to another process, and room for what another one sends.
  struct Outgoing {
    int rank;
    const std::byte* bytes;
    std::size_t size;
  };
  struct Incoming {
    int rank;
    std::byte* bytes;
    std::size_t size;
  };

  virtual ~ProcessGroup() = default;

  virtual int rank() const = 0;  ///< of this process, from 0 on
  virtual int size() const = 0;

  /// Whether gather() and exchange() take arrays in the memory of this process's CUDA devices as well, as a CUDA-aware
  /// MPI does: what is sent is complete when they are called, and what is received has to be when they return. Where
  /// all processes say so, and there is no NCCL, a Solver tries it, and does it where it is quicker than through the
  /// host: see 'distributed.device_messages'.
  virtual bool takes_device_memory() const { return false; }

  /// x_i = Σ of the processes' x_i, i < count.
  virtual void sum(std::int64_t* x, std::size_t count) const = 0;

  /// The largest of the processes' x.
  virtual std::int64_t max(std::int64_t x) const = 0;

  /// all = what the processes have, one after another: lengths[r] bytes of process r, of this one `own`.
  virtual void gather(const std::byte* own, const std::vector<std::size_t>& lengths, std::byte* all) const = 0;

  /// from[r] = what process r has in its to[rank()], r < size(). By messages, unless a group does it in a better way.
  virtual void all_to_all(const std::int64_t* to, std::int64_t* from) const {
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    for (int r = 0; r < size(); ++r) {
      if (r == rank()) {
        from[r] = to[r];
      } else {
        sends.push_back({r, reinterpret_cast<const std::byte*>(to + r), sizeof(std::int64_t)});
        receives.push_back({r, reinterpret_cast<std::byte*>(from + r), sizeof(std::int64_t)});
      }
    }
    exchange(sends, receives);
  }

  /// Sends and receives messages, of the processes that are named only, and returns when all are through. Those from
  /// one process to another arrive in the order in which they are given.
  virtual void exchange(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives) const = 0;
};

}  // namespace amgsolve
