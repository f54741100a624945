#pragma once

#include "core/types.hpp"

namespace amgsolve {

/// *target += x for all threads; returns what it was. On two's complement the unsigned addition that devices have is
/// the signed one.
__device__ inline Offset atomic_add(Offset* target, Offset x) {
  return static_cast<Offset>(
      atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(x)));
}

}  // namespace amgsolve
