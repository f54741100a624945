#pragma once

#include <exception>

#include "core/collectively.hpp"
#include "core/communicator.hpp"

namespace amgsolve {

/// work(), which does not communicate, done by every rank on the same: where it throws on all of them, each throws its
/// own, which says the same and names no rank; else as collectively(). Collective.
template <class Work>
void all_alike(const Communicator& ranks, const Work& work) {
  const std::exception_ptr failure = failure_of(work);
  if (ranks.sum(failure ? 1 : 0) == ranks.size()) {
    std::rethrow_exception(failure);
  }
  agree_on_failure(ranks, failure);
}

}  // namespace amgsolve
