#pragma once

#include <cstddef>

#include "core/compute_capability.hpp"

/// What products by nodes trade one resource of a GPU for another by; not varied so far.
namespace amgsolve::nodes {

/// Threads that form the rows of a node together, where the rows of B are short, and where they are not: longer than
/// the fewer on average.
inline constexpr int few_threads = 32;
inline constexpr int many_threads = 128;

/// Nodes of A's row whose values are fetched at a time.
inline constexpr int nodes_ahead = 8;

struct Tuning {
  std::size_t few_thread_bytes;  ///< most shared memory for the sums of a node's rows; longer ones are summed in place
  std::size_t many_thread_bytes;
};

/// Six and three blocks of the largest on a multiprocessor.
constexpr Tuning tuning_for(ComputeCapability device) {
  return {shared_bytes(device) / 6 - 4096, shared_bytes(device) / 3 - 4096};
}

}  // namespace amgsolve::nodes
