#pragma once

#include <cstdint>

namespace amgsolve {

/// What one of the ranks had that solved a system together.
struct RankStatistics {
  std::int64_t rows = 0;
  std::int64_t ghosts = 0;      ///< rows of others that a product with the matrix needs
  std::int64_t bytes_sent = 0;  ///< to the other ranks; sums, of which MPI decides who sends what, are left out
  double seconds_waited = 0.0;  ///< in calls that send and receive: for others to come there, and for the data
};

}  // namespace amgsolve
