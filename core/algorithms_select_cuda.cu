#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/lane_scan_cuda.cuh"
#include "core/look_back_cuda.cuh"

namespace amgsolve {
namespace {

constexpr int word_flags = 32;
constexpr int words_of_thread = 2;
constexpr int flags_of_thread = words_of_thread * word_flags;
constexpr std::int64_t flags_of_tile = std::int64_t{default_block} * flags_of_thread;

/// Bit i: whether byte i of four is not zero.
__device__ unsigned bits_of_bytes(unsigned bytes) {
  constexpr unsigned to_the_top = 0x10204080;  // bit 8 i to bit 28 + i
  return (__vsetne4(bytes, 0) * to_the_top) >> 28;
}

/// Bit i: whether flag begin + i is set.
__device__ unsigned word_of_flags(const std::uint8_t* flags, std::int64_t begin, std::int64_t n) {
  unsigned word = 0;
  if (begin + word_flags <= n && reinterpret_cast<std::uintptr_t>(flags) % sizeof(uint4) == 0) {
    const uint4* const loads = reinterpret_cast<const uint4*>(flags + begin);
    for (int half = 0; half < 2; ++half) {
      const uint4 four = loads[half];
      word |= (bits_of_bytes(four.x) | bits_of_bytes(four.y) << 4 | bits_of_bytes(four.z) << 8 |
               bits_of_bytes(four.w) << 12)
              << 16 * half;
    }
    return word;
  }
  for (int i = 0; i < word_flags && begin + i < n; ++i) {
    word |= flags[begin + i] != 0 ? 1U << i : 0U;
  }
  return word;
}

/// A tile of flags for each block, neighbouring ones for each thread.
__global__ void select_kernel(const std::uint8_t* flags, std::int64_t n, TileScan scan, Index* selected,
                              Offset* count) {
  __shared__ int of_warps[default_block / warp_size];
  __shared__ Offset before_tile;
  const std::int64_t tile = scan.next_tile();
  const std::int64_t begin = tile * flags_of_tile + static_cast<std::int64_t>(threadIdx.x) * flags_of_thread;
  unsigned words[words_of_thread];
  int own = 0;
#pragma unroll
  for (int w = 0; w < words_of_thread; ++w) {
    words[w] = word_of_flags(flags, begin + w * word_flags, n);
    own += __popc(words[w]);
  }
  int of_tile;
  const int before = sum_before_in_block<default_block>(own, of_warps, of_tile);
  if (threadIdx.x == 0) {
    scan.announce(tile, of_tile);
  }
  if (warp_of_block() == 0) {
    const Offset entries = scan.entries_before(tile, of_tile);
    if (lane_of_warp() == 0) {
      before_tile = entries;
      if (tile + 1 == gridDim.x) {
        *count = entries + of_tile;
      }
    }
  }
  __syncthreads();
  Index* next = selected + before_tile + before;
#pragma unroll
  for (int w = 0; w < words_of_thread; ++w) {
    for (unsigned word = words[w]; word != 0; word &= word - 1) {
      *next++ = static_cast<Index>(begin + w * word_flags + __ffs(static_cast<int>(word)) - 1);
    }
  }
}

}  // namespace

void select_flagged(Context<Cuda>& ctx, Span<const std::uint8_t, Cuda> flags, Span<Index, Cuda> selected,
                    Span<Offset, Cuda> count) {
  const auto n = static_cast<std::int64_t>(flags.size());
  if (n == 0) {
    set_zero(ctx, count);
    return;
  }
  const std::int64_t tiles = (n + flags_of_tile - 1) / flags_of_tile;
  WorkspaceScope scope(ctx.workspace());
  const auto states = scope.take<unsigned long long>(static_cast<std::size_t>(tiles) + 1);
  set_zero(ctx, states);
  const TileScan scan{states.data() + 1, reinterpret_cast<unsigned int*>(states.data())};
  launch(ctx, select_kernel, {.blocks = tiles}, flags.data(), n, scan, selected.data(), count.data());
}

}  // namespace amgsolve
