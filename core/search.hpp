#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace amgsolve {

/// The first i in [first, last) with x[i] ≥ value, for ascending x; last where there is none.
template <class T>
AMGSOLVE_HOST_DEVICE std::int64_t lower_bound(const T* x, std::int64_t first, std::int64_t last, T value) {
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    if (x[middle] < value) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

/// Where value is among x[first], …, x[last − 1], which ascend; −1 where it is not.
template <class T>
AMGSOLVE_HOST_DEVICE std::int64_t find_sorted(const T* x, std::int64_t first, std::int64_t last, T value) {
  const std::int64_t place = lower_bound(x, first, last, value);
  return place < last && x[place] == value ? place : -1;
}

}  // namespace amgsolve
