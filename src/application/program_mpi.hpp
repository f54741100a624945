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

  /// Waits until all ranks have come here, for at most that many seconds from when this one first came; 0: for ever.
  /// Returns whether they have.
  bool meet(double seconds);

  /// Whether the ranks are to end: this one, the first time with word to the others, or one that has sent word.
  bool hears_of_end(bool is_asked);

  /// Ends all ranks, now, with that exit code.
  [[noreturn]] static void abort(int exit_code);

 private:
  struct Word;
  struct Meeting;

  std::unique_ptr<const Communicator> world_;
  std::unique_ptr<Word> word_;
  std::unique_ptr<Meeting> meeting_;
};

}  // namespace amgsolve
