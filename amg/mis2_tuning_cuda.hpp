#pragma once

#include "core/types.hpp"

/// When the host looks whether the rounds of mis2() are done: a round of few nodes takes less time than to look, and
/// six to ten are needed.
namespace amgsolve::independent_set {

/// Undecided nodes above which it looks after every round.
inline constexpr Index many_nodes = 1 << 18;

/// Rounds after which it looks at every second one.
inline constexpr int least_rounds = 6;

}  // namespace amgsolve::independent_set
