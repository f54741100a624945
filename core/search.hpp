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

/// The same, O(log d) for a place d beyond `near`, in [first, last], where it is looked for first.
template <class T>
AMGSOLVE_HOST_DEVICE std::int64_t lower_bound_near(const T* x, std::int64_t first, std::int64_t last, T value,
                                                   std::int64_t near) {
  std::int64_t step = 1;
  if (near < last && x[near] < value) {
    first = near + 1;
    while (first + step < last && x[first + step] < value) {
      first += step + 1;
      step *= 2;
    }
    last = first + step < last ? first + step : last;
  } else {
    last = near;
    while (first <= last - step && !(x[last - step] < value)) {
      last -= step;
      step *= 2;
    }
    first = first < last - step + 1 ? last - step + 1 : first;
  }
  return lower_bound(x, first, last, value);
}

/// Where value is among x[first], …, x[last − 1], which ascend; −1 where it is not.
template <class T>
AMGSOLVE_HOST_DEVICE std::int64_t find_sorted(const T* x, std::int64_t first, std::int64_t last, T value) {
  const std::int64_t place = lower_bound(x, first, last, value);
  return place < last && x[place] == value ? place : -1;
}

}  // namespace amgsolve
