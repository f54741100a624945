#pragma once

#include <memory>

#include "core/communicator.hpp"
#include "src/application/job_configuration.hpp"

namespace amgsolve {

/// The ranks that mpirun has started the command as; one where it was started by itself. Of several only the first one
/// prints: what the others write to their standard output and error is kept back.
class Ranks {
 public:
  Ranks(int& argc, char**& argv);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  const Communicator& communicator() const;

  /// Whether there are several although this command was built for one. Says so.
  bool are_too_many() const;

  /// Whether this rank is asked to end, or has heard from another one that was. The others hear of it where they ask.
  bool hears_of_end(bool is_asked);

  /// Waits until the work of all ranks is over, as that of this one is: where it has failed some seconds at most, from
  /// the first call on. From then on the others wait for what it still writes. Returns whether all are through.
  bool meet(int exit_code);

  /// The exit code of all ranks, that of the lowest one that failed, which prints what it had to say. Where this one
  /// has failed and does not meet() the others, it does, and ends them all.
  int finish(int exit_code);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A configuration as several ranks take it, see place_rank(). Collective. Throws ConfigurationError where it is
/// another one on some rank, and for what ranks do not do so far; DeviceError.
JobConfiguration on_ranks(JobConfiguration configuration, const Communicator& ranks);

}  // namespace amgsolve
