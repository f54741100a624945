#pragma once

#include <bit>

#include "core/host_device.hpp"

namespace amgsolve {

/// The only lane of a row, as a group: what is written for several lanes of a device serves a thread alone, and the
/// host.
struct OneLane {
  AMGSOLVE_HOST_DEVICE static unsigned thread_rank() { return 0; }
  AMGSOLVE_HOST_DEVICE static constexpr unsigned num_threads() { return 1; }
  AMGSOLVE_HOST_DEVICE static unsigned ballot(bool x) { return x ? 1 : 0; }
  template <class T>
  AMGSOLVE_HOST_DEVICE static T shfl(T x, int) {
    return x;
  }
};

/// The lanes in a ballot.
AMGSOLVE_HOST_DEVICE inline int count_lanes(unsigned ballot) {
#ifdef __CUDA_ARCH__
  return __popc(ballot);
#else
  return std::popcount(ballot);
#endif
}

/// The first lane in a ballot that is not empty.
AMGSOLVE_HOST_DEVICE inline int first_lane(unsigned ballot) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(ballot)) - 1;
#else
  return std::countr_zero(ballot);
#endif
}

/// The lanes of a ballot below mine.
template <class Lanes>
AMGSOLVE_LANES int lanes_below(const Lanes& lanes, unsigned ballot) {
  return count_lanes(ballot & ((1U << lanes.thread_rank()) - 1U));
}

}  // namespace amgsolve
