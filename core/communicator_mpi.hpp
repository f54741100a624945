#pragma once

#include <memory>

#include "core/communicator.hpp"

namespace amgsolve {

/// The ranks of a communicator of MPI, of which a duplicate is made: messages of the program are not taken for ours.
/// Collective. For values in host memory. What MPI reports as an error ends
/// the program, as MPI's default is.
/// @param fortran_handle  what MPI_Comm_c2f() makes of the communicator, so that this header needs none of MPI's
std::unique_ptr<Communicator> mpi_communicator(int fortran_handle);

/// MPI for a program of ours, from its beginning to its end. Where the program was started without mpirun there is one
/// rank.
class MpiProgram {
 public:
  MpiProgram(int& argc, char**& argv);
  ~MpiProgram();
  MpiProgram(const MpiProgram&) = delete;
  MpiProgram& operator=(const MpiProgram&) = delete;

  /// All ranks of the program.
  const Communicator& world() const { return *world_; }

  /// Waits until all ranks have come here, for so many seconds at most; 0: for ever. Returns whether they have.
  bool meet(double seconds) const;

  /// Ends all ranks, now, with that exit code.
  [[noreturn]] static void abort(int exit_code);

 private:
  std::unique_ptr<Communicator> world_;
};

}  // namespace amgsolve
