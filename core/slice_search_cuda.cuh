#pragma once

#include "core/types.hpp"

namespace amgsolve {

/// The last end in (begin, last] with at(end) − at(begin) ≤ limit, for ascending at; begin + 1 where there is none.
/// O(log(last − begin)), by one thread.
template <class At>
__device__ Index find_slice_end(Index begin, Index last, Offset limit, const At& at) {
  const Offset most = at(begin) + limit;
  Index end = begin + 1;
  while (end < last) {
    const Index middle = end + (last - end + 1) / 2;
    if (at(middle) <= most) {
      end = middle;
    } else {
      last = middle - 1;
    }
  }
  return end;
}

}  // namespace amgsolve
