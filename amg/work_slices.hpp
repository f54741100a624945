#pragma once

#include <cstdint>

#include "core/context.hpp"

namespace amgsolve {

/// Values that a thread visits without asking whether to go on: some hundredths of a second.
inline constexpr std::int64_t most_visits = std::int64_t{1} << 24;

/// Calls body(first, last, visits) for slices [first, last) of the steps [0, steps), in order, and asks before each
/// whether to go on (Context::set_stop()): for elements, aggregates or nodes say, of which one may take longer than
/// anybody waits. A slice has as many steps as most_visits allow, and one at least. Throws InterruptedError.
/// @param visits_of  visits_of(step): values of an element that the step visits
/// @param body       takes those steps of all elements, each of `visits`
template <MemorySpace S, class VisitsOf, class Body>
void in_slices(const Context<S>& ctx, std::int64_t steps, const VisitsOf& visits_of, const Body& body) {
  for (std::int64_t first = 0; first < steps;) {
    ctx.poll();
    std::int64_t visits = visits_of(first);
    std::int64_t last = first + 1;
    for (; last < steps && visits + visits_of(last) <= most_visits; ++last) {
      visits += visits_of(last);
    }
    body(first, last, visits);
    first = last;
  }
}

}  // namespace amgsolve
