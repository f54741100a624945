#pragma once

namespace amgsolve {

/// How many of `most` lanes share a row of B: the power of two nearest to its mean length, so that lanes rarely wait
/// for one another, and those of a row read neighbouring addresses.
__device__ inline int lanes_for(int products, int rows, int most) {
  int lanes = 1;
  while (lanes < most && 3 * lanes * rows < 2 * products) {
    lanes *= 2;
  }
  return lanes;
}

}  // namespace amgsolve
