#pragma once

#include <exception>

#include "core/communicator.hpp"

namespace amgsolve {

/// Throws on all ranks what the lowest rank that failed has thrown, its message with the rank's number, or nothing
/// where none has. Collective. The errors of core/errors.hpp and std::invalid_argument keep their type; std::bad_alloc
/// becomes OutOfMemoryError, anything else std::runtime_error.
/// @param failure  of this rank; null: it has not failed
void agree_on_failure(const Communicator& communicator, std::exception_ptr failure);

/// What work() throws; null where it throws nothing.
template <class Work>
std::exception_ptr failure_of(const Work& work) {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// work(), which does not communicate, on every rank: where it throws on one of them, all throw the same instead of
/// waiting for it for ever. Collective.
template <class Work>
void collectively(const Communicator& communicator, const Work& work) {
  if (communicator.size() == 1) {
    work();
  } else {
    agree_on_failure(communicator, failure_of(work));
  }
}

}  // namespace amgsolve
