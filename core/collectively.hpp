#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/communicator.hpp"

namespace amgsolve {

/// Throws on all ranks what the lowest rank that failed has thrown, its message with the rank's number, or nothing
/// where none has; InterruptedError only where none has thrown anything else. Collective. The errors of core/errors.hpp
/// and std::invalid_argument keep their type; std::bad_alloc becomes OutOfMemoryError, anything else
/// std::runtime_error. A CommunicationError leaves the rank that has it at once.
/// @param failure    of this rank; null: it has not failed
/// @param same_work  whether all ranks did the same: where they all failed with the same words, each throws its own,
///                   which names no rank
void agree_on_failure(const Communicator& communicator, std::exception_ptr failure, bool same_work = false);

/// At a step that all ranks take between two agreements on failure: whether they should end, because one of them is
/// asked to, or has failed and waits for the others in agree_on_failure(). Collective.
bool agree_on_step(const Communicator& communicator, bool is_asked);

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

/// work(), which does not communicate but by agree_on_step(), on every rank: where it throws on one of them, all throw
/// the same instead of waiting for it for ever. Returns what it returns. Collective.
template <class Work>
std::invoke_result_t<const Work&> collectively(const Communicator& communicator, const Work& work,
                                               bool same_work = false) {
  using Returned = std::invoke_result_t<const Work&>;
  if (communicator.size() == 1) {
    return work();
  }
  if constexpr (std::is_void_v<Returned>) {
    agree_on_failure(communicator, failure_of(work), same_work);
  } else {
    std::optional<Returned> returned;
    agree_on_failure(communicator, failure_of([&] { returned.emplace(work()); }), same_work);
    return *std::move(returned);
  }
}

/// collectively() what every rank does on the same. Collective.
template <class Work>
void all_alike(const Communicator& communicator, const Work& work) {
  collectively(communicator, work, true);
}

}  // namespace amgsolve
