#include "src/library/rank_threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "src/library/rank_places.hpp"

namespace amgsolve {

int threads_of_rank(int asked, const Communicator& ranks) {
  const int neighbours = ranks_of_machine(ranks);
  const auto cores = sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t own;
  const bool is_bound = sched_getaffinity(0, sizeof(own), &own) == 0 && CPU_COUNT(&own) < cores;
  if (asked != 0 || ranks.size() == 1 || is_bound || std::getenv("OMP_NUM_THREADS") != nullptr) {
    return asked;
  }
  return static_cast<int>(std::max(cores / neighbours, 1L));
}

}  // namespace amgsolve
