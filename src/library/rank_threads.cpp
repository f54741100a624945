#include "src/library/rank_threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace amgsolve {

int threads_of_rank(int asked, const Communicator& ranks) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const auto all = ranks.all_gather(host);
  const auto neighbours = std::ranges::count(all, host);
  const auto cores = sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t own;
  const bool is_bound = sched_getaffinity(0, sizeof(own), &own) == 0 && CPU_COUNT(&own) < cores;
  if (asked != 0 || ranks.size() == 1 || is_bound || std::getenv("OMP_NUM_THREADS") != nullptr) {
    return asked;
  }
  return static_cast<int>(std::max(cores / neighbours, 1L));
}

}  // namespace amgsolve
