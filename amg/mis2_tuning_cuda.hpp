#pragma once

#include <cstddef>

#include "core/types.hpp"

/// Who sees to the rounds of mis2(), and when the host looks whether they are done: a round of few nodes takes less
/// time than to look, and six to ten are needed.
namespace amgsolve::independent_set {

/// Undecided nodes above which it looks after every round.
inline constexpr Index many_nodes = 1 << 18;

/// Rounds after which it looks at every second one.
inline constexpr int least_rounds = 6;

/// Nodes and neighbours up to which one block takes all rounds by itself: by estimate as many as a round has time for
/// in its two launches, some 9 µs. Sets of 3126 nodes take 0.14 ms less on an H200.
inline constexpr Index most_nodes_of_one_block = 1 << 12;
inline constexpr std::size_t most_neighbours_of_one_block = std::size_t{1} << 17;
inline constexpr int threads_of_one_block = 1024;

/// Neighbours of a node that a thread has on their way at a time.
/// @tparam Lanes  that share the node
template <int Lanes>
inline constexpr int neighbours_at_once = Lanes == 1 ? 8 : 4;

}  // namespace amgsolve::independent_set
