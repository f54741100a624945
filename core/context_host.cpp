#include <fmt/format.h>
#include <omp.h>

#include "core/context.hpp"
#include "core/errors.hpp"

namespace amgsolve {

Context<Host>::Context(int threads, const Communicator& communicator)
    : ContextBase(MemorySource<Host>{}, communicator), threads_(threads == 0 ? omp_get_max_threads() : threads) {
  if (threads < 0) {
    throw ConfigurationError(fmt::format("the number of threads is {}; it must be 0 (all) or more", threads));
  }
}

}  // namespace amgsolve
