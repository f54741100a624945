#include <omp.h>

#include <algorithm>

#include "core/context.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {
namespace {

/// More only wait for each other, and thousands of stacks exhaust a process.
int most_threads() { return std::max(64, 4 * omp_get_num_procs()); }

}  // namespace

void validate_threads(int threads) {
  if (threads < 0 || threads > most_threads()) {
    throw ConfigurationError(format_text("'solver.threads' is {}; it must be 0 (all) or more, and at most {} on {}",
                                         threads, most_threads(), format_count(omp_get_num_procs(), "core")));
  }
}

Context<Host>::Context(int threads, const Communicator& communicator)
    : ContextBase(MemorySource<Host>{}, communicator),
      threads_(
          std::min(threads == 0 ? std::min(omp_get_max_threads(), most_threads()) : threads, omp_get_thread_limit())) {
  validate_threads(threads);
}

}  // namespace amgsolve
