#pragma once

#include "core/parallel_cuda.cuh"

/// Where a tile of rows begins in the result while the tiles before it are still at work: the single-pass prefix scan
/// with decoupled look-back (Merrill, Garland 2016).
namespace amgsolve {

/// The progress of all tiles, all zero at first. Flag and number share a word, so that no other ordering is needed.
struct TileScan {
  unsigned long long* states;  ///< one a tile
  unsigned int* ticket;        ///< tiles handed out

  static constexpr unsigned long long aggregate = 1ULL << 62;  ///< the entries of the tile alone
  static constexpr unsigned long long inclusive = 2ULL << 62;  ///< those of all tiles before it, too
  static constexpr unsigned long long number = aggregate - 1;

  /// The next tile, for the whole block. Tiles are handed out in their order, so all those that a tile waits for are at
  /// work already. All threads must call, once.
  __device__ std::int64_t next_tile() const {
    __shared__ unsigned int tile;
    if (threadIdx.x == 0) {
      tile = atomicAdd(ticket, 1U);
    }
    __syncthreads();
    return tile;
  }

  /// Says how many entries a tile has. Once for each tile, by one thread, as soon as it is known.
  __device__ void announce(std::int64_t tile, Offset count) const {
    publish(tile, (tile == 0 ? inclusive : aggregate) | static_cast<unsigned long long>(count));
  }

  /// Entries of all tiles before this one, which has `count` and was announced. To be called by the lanes of one warp.
  __device__ Offset entries_before(std::int64_t tile, Offset count) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    Offset before = 0;
    for (std::int64_t last = tile - 1; last >= 0; last -= warp_size) {
      const unsigned long long state = last >= lane ? wait(last - lane) : inclusive;
      const unsigned complete = __ballot_sync(all_lanes, state >= inclusive);
      const int nearest = complete == 0 ? warp_size : __ffs(static_cast<int>(complete)) - 1;
      before += sum_lanes(lane <= nearest ? static_cast<Offset>(state & number) : Offset{0});
      if (complete != 0) {
        break;
      }
    }
    if (lane == 0 && tile > 0) {
      publish(tile, inclusive | static_cast<unsigned long long>(before + count));
    }
    return before;
  }

 private:
  __device__ void publish(std::int64_t tile, unsigned long long state) const {
    *const_cast<volatile unsigned long long*>(states + tile) = state;
  }
  __device__ unsigned long long wait(std::int64_t tile) const {
    unsigned long long state;
    do {
      state = *const_cast<volatile unsigned long long*>(states + tile);
    } while (state == 0);
    return state;
  }
};

}  // namespace amgsolve
