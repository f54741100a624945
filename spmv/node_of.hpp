#pragma once

#include "core/host_device.hpp"

namespace amgsolve {

/// Whose unknown it is, or entry of a vector, where each node has so many one after another. Most matrices have one,
/// and a division takes longer than most of what its result is for.
template <class Number>
AMGSOLVE_HOST_DEVICE constexpr Number node_of(Number unknown, Number unknowns_a_node) {
  return unknowns_a_node == 1 ? unknown : unknown / unknowns_a_node;
}

}  // namespace amgsolve
