#pragma once

#include <cstddef>

#include "core/types.hpp"

/// When the host looks whether the rounds of mis2() are done: a round of few nodes takes less time than to look, and
/// six to ten are needed.
namespace amgsolve::independent_set {

/// Undecided nodes above which it looks after every round.
inline constexpr Index many_nodes = 1 << 18;

/// Rounds after which it looks at every second one.
inline constexpr int least_rounds = 6;

/// Up to so many nodes and neighbours a round by one block takes no longer than two launches, some 9 µs.
inline constexpr Index most_nodes_of_one_block = 1 << 12;
inline constexpr std::size_t most_neighbours_of_one_block = std::size_t{1} << 17;
inline constexpr int threads_of_one_block = 1024;

}  // namespace amgsolve::independent_set
