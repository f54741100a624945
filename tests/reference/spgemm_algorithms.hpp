#pragma once

#include <vector>

#include "spgemm/spgemm.hpp"

/// The algorithms of a sparse product that a memory space has.
namespace amgsolve::reference {

/// Those that sum in the order of A's row.
template <MemorySpace S>
std::vector<SpgemmAlgorithm> own_algorithms() {
  if constexpr (std::same_as<S, Host>) {
    return {SpgemmAlgorithm::automatic, SpgemmAlgorithm::dense, SpgemmAlgorithm::hash};
  } else {
    return {SpgemmAlgorithm::automatic,  SpgemmAlgorithm::hash,      SpgemmAlgorithm::esc,
            SpgemmAlgorithm::esc_global, SpgemmAlgorithm::esc_fused, SpgemmAlgorithm::thin};
  }
}

template <MemorySpace S>
std::vector<SpgemmAlgorithm> all_algorithms() {
  std::vector<SpgemmAlgorithm> algorithms = own_algorithms<S>();
  if constexpr (std::same_as<S, Cuda>) {
    algorithms.push_back(SpgemmAlgorithm::row_merge);
    algorithms.push_back(SpgemmAlgorithm::cusparse);
  }
  return algorithms;
}

}  // namespace amgsolve::reference
