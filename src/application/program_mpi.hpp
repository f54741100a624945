#pragma once

#include <memory>

#include "core/communicator.hpp"

namespace amgsolve {

/// MPI for a program of ours, from its beginning to its end. Where the program was started without mpirun there is one
/// rank. What MPI reports as an error ends the program, as MPI's default is.
class MpiProgram {
 public:
  MpiProgram(int& argc, char**& argv);
  ~MpiProgram();
  MpiProgram(const MpiProgram&) = delete;
  MpiProgram& operator=(const MpiProgram&) = delete;

  /// All ranks of the program.
  const Communicator& world() const { return *world_; }

  /// Waits until all ranks have come here, for that many seconds at most; 0: for ever. Returns whether they have.
  bool meet(double seconds) const;

  /// Ends all ranks, now, with that exit code.
  [[noreturn]] static void abort(int exit_code);

 private:
  std::unique_ptr<const Communicator> world_;
};

}  // namespace amgsolve
