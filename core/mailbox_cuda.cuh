#pragma once

#include "core/mailbox.hpp"

namespace amgsolve {

/// Lets the host take the letter, whose bytes this thread has written or every other one has fenced.
__device__ inline void seal(const Mailbox::Letter& letter) {
  __threadfence_system();
  *const_cast<volatile std::uint64_t*>(letter.number) = letter.value;
}

}  // namespace amgsolve
