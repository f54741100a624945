#pragma once

#include "core/atomic_cuda.cuh"
#include "core/lane_scan_cuda.cuh"
#include "core/look_back_cuda.cuh"
#include "spmv/one_pass_cuda.hpp"

namespace amgsolve {

/// Where the entries of a block's rows go.
struct TilePlace {
  Offset begin;  ///< of the row of this thread
  bool fits;     ///< whether the tile's entries lie within the capacity
};

/// A block's way through a pass: it takes a tile of rows, says how many entries they have as soon as its last warp
/// knows, and learns where they begin. Lives in shared memory.
template <class T, int Threads>
class Tile {
 public:
  /// The next tile of the pass. All threads must call.
  __device__ std::int64_t start(const OnePassTarget<T>& target) {
    if (threadIdx.x == 0) {
      tally_ = 0;
    }
    return scan(target).next_tile();
  }

  /// All lanes of a warp say how many entries they found (0 where another thread of the row says so). Does not wait.
  __device__ void announce(const OnePassTarget<T>& target, std::int64_t tile, int entries) {
    entries = sum_lanes(entries);
    if (threadIdx.x % warp_size == 0) {
      const unsigned long long others =
          atomicAdd(&tally_, one_warp | static_cast<unsigned long long>(static_cast<unsigned>(entries)));
      if (others / one_warp == warps - 1) {
        scan(target).announce(tile, static_cast<Offset>(others % one_warp) + entries);
      }
    }
  }

  /// All threads say again how many entries they found, and in how many products, and learn where these go. Books what
  /// the tile found.
  __device__ TilePlace place(const OnePassTarget<T>& target, std::int64_t tile, bool is_last_tile, int entries,
                             Offset products, bool is_unfit) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const int up_to_here = sum_up_to_lane<warp_size>(entries);
    if (lane == warp_size - 1) {
      of_warp_[warp] = up_to_here;
    }
    const Offset tile_products = sum_block<Threads>(products);
    const int unfit_rows = __syncthreads_count(is_unfit);
    int before = up_to_here - entries;
    int tile_entries = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      before += w < warp ? of_warp_[w] : 0;
      tile_entries += of_warp_[w];
    }
    if (threadIdx.x < warp_size) {
      const Offset begin = scan(target).entries_before(tile, tile_entries);
      if (threadIdx.x == 0) {
        begin_ = begin;
        add(&target.status->products, tile_products);
        add(&target.status->unfit_rows, unfit_rows);
        if (is_last_tile) {
          target.status->nnz = begin + tile_entries;
        }
        if (tile == 0) {
          target.row_offsets[0] = 0;
        }
      }
    }
    __syncthreads();
    return {begin_ + before, begin_ + tile_entries <= target.capacity};
  }

 private:
  static constexpr int warps = Threads / warp_size;

  /// Warps that have announced their entries are counted above the entries.
  static constexpr unsigned long long one_warp = 1ULL << 48;

  __device__ static TileScan scan(const OnePassTarget<T>& target) { return {target.tile_states, target.ticket}; }
  __device__ static void add(Offset* sum, Offset x) {
    if (x > 0) {
      atomic_add(sum, x);
    }
  }

  int of_warp_[warps];
  unsigned long long tally_;
  Offset begin_;
};

}  // namespace amgsolve
