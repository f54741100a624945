#pragma once

#include <vector>

#include "spgemm/spgemm.hpp"

/// The algorithms of a sparse product that a memory space has.
namespace amgsolve::reference {

template <MemorySpace S>
std::vector<const SpgemmAlgorithm*> all_algorithms() {
  std::vector<const SpgemmAlgorithm*> found;
  for (const SpgemmAlgorithm& algorithm : spgemm_algorithms()) {
    if (algorithm.functions<S>().of_double != nullptr) {
      found.push_back(&algorithm);
    }
  }
  return found;
}

/// Those that sum in the order of A's row.
template <MemorySpace S>
std::vector<const SpgemmAlgorithm*> ordered_algorithms() {
  std::vector<const SpgemmAlgorithm*> found = all_algorithms<S>();
  std::erase_if(found, [](const SpgemmAlgorithm* algorithm) { return !algorithm->sums_in_order; });
  return found;
}

}  // namespace amgsolve::reference
