#include <algorithm>

#include "core/hash.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_cuda.cuh"
#include "spmv/pattern_matrix_rows.hpp"

namespace amgsolve {
namespace {

using Key = unsigned long long;

__device__ Key bits_of(float x) { return __float_as_uint(x); }
__device__ Key bits_of(double x) { return static_cast<Key>(__double_as_longlong(x)); }

/// Slices of rows as a warp looks at them, a row a lane.
template <class T>
struct SlicesOfRows {
  CsrRef<T> a;
  const std::uint8_t* patterns;

  /// The same for equal slices, seldom for others; never 0.
  __device__ Key key(std::int64_t slice) const {
    const std::int64_t row = slice * slice_rows + lane_of_warp();
    Key sum = static_cast<Key>(lane_of_warp());
    if (row < a.rows) {
      sum = (sum << 9) + patterns[row] + 1;
      for (Offset k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) {
        sum = sum * 0x9E3779B97F4A7C15U + bits_of(a.values[k]);
      }
    }
    Key joined = hash64(sum);
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      joined ^= __shfl_xor_sync(all_lanes, joined, distance);
    }
    return joined != 0 ? joined : 1;
  }

  /// Bit by bit.
  __device__ bool are_alike(std::int64_t slice, std::int64_t other) const {
    const std::int64_t row = slice * slice_rows + lane_of_warp();
    const std::int64_t other_row = other * slice_rows + lane_of_warp();
    bool alike = (row < a.rows) == (other_row < a.rows);
    if (alike && row < a.rows) {
      alike = patterns[row] == patterns[other_row];
      const Offset begin = a.row_offsets[row];
      const Offset other_begin = a.row_offsets[other_row];
      for (Offset k = 0; alike && k < a.row_offsets[row + 1] - begin; ++k) {
        alike = bits_of(a.values[begin + k]) == bits_of(a.values[other_begin + k]);
      }
    }
    return __all_sync(all_lanes, alike) != 0;
  }
};

/// A hash table of keys, with the lowest slice of each.
struct KeyTable {
  static constexpr int slots = 1 << 15;
  static_assert(most_different_slices <= slots / 2);

  Key* keys;      ///< of slots, 0 where there is none
  Index* firsts;  ///< beyond all slices where there is none
  Index* count;   ///< of keys; beyond most_different_slices none enters any more

  /// −1 where the table is full.
  __device__ Index enter(Key key, Index slice) const {
    auto slot = static_cast<Index>(key % slots);
    for (Key there = keys[slot]; there != key; there = keys[slot]) {
      if (there == 0) {
        there = atomicCAS(keys + slot, Key{0}, key);
        if (there == 0) {
          atomicAdd(count, 1);
        }
        if (there == 0 || there == key) {
          break;
        }
      }
      if (*static_cast<volatile Index*>(count) > static_cast<Index>(most_different_slices)) {
        return -1;
      }
      slot = (slot + 1) % slots;
    }
    if (slice < firsts[slot]) {
      atomicMin(firsts + slot, slice);
    }
    return slot;
  }
};

/// slot_s = the slot of slice s, for each `step`-th one.
template <class T>
__global__ void enter_slices_kernel(SlicesOfRows<T> slices, std::int64_t count, std::int64_t step, KeyTable table,
                                    Index* slot_of) {
  const std::int64_t slice = thread_index() / warp_size * step;
  if (slice >= count || *table.count > static_cast<Index>(most_different_slices)) {
    return;
  }
  const Key key = slices.key(slice);
  if (lane_of_warp() == 0) {
    slot_of[slice] = table.enter(key, static_cast<Index>(slice));
  }
}

/// first_s = the lowest slice in its slot, where slice s equals that.
template <class T>
__global__ void compare_slices_kernel(SlicesOfRows<T> slices, std::int64_t count, KeyTable table, const Index* slot_of,
                                      Index* first_of) {
  const std::int64_t slice = thread_index() / warp_size;
  if (slice >= count) {
    return;
  }
  const Index first = table.firsts[slot_of[slice]];
  const bool alike = slices.are_alike(slice, first);
  if (lane_of_warp() == 0) {
    first_of[slice] = alike ? first : static_cast<Index>(slice);
  }
}

/// Of a matrix whose slices differ, so many tell.
constexpr std::int64_t sampled_slices = 1 << 12;

}  // namespace

/// By a table of keys, which a warp makes of a slice.
template <class T>
bool detail::find_first_alike(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const RowPatterns<Cuda>& patterns,
                              Span<Index, Cuda> firsts) {
  const auto count = static_cast<std::int64_t>(firsts.size());
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto slots = static_cast<std::size_t>(KeyTable::slots);
  const auto keys = scope.take<Key>(slots);
  const auto lowest = scope.take<Index>(slots + 1);
  const auto slot_of = scope.take<Index>(firsts.size());
  const KeyTable table{keys.data(), lowest.data(), lowest.data() + slots};
  set_zero(ctx, keys);
  parallel_for(ctx, KeyTable::slots + 1,
               [table] __device__(std::int64_t slot) { table.firsts[slot] = slot < KeyTable::slots ? max_index : 0; });
  const SlicesOfRows<T> slices{ref_of(A), patterns.of_row.data()};
  /// How many keys there are when every step-th slice has entered.
  const auto enter = [&](std::int64_t step) {
    launch(ctx, enter_slices_kernel<T>, Grid::of_lanes((count + step - 1) / step, warp_size), slices, count, step,
           table, slot_of.data());
    return std::int64_t{element(ctx, std::as_const(lowest), slots)};
  };
  const std::int64_t step = std::max<std::int64_t>(count / sampled_slices, 1);
  const bool share =
      enter(step) <= count / step / 2 && (step == 1 || enter(1) <= static_cast<std::int64_t>(most_different_slices));
  if (share) {
    launch(ctx, compare_slices_kernel<T>, Grid::of_lanes(count, warp_size), slices, count, table,
           static_cast<const Index*>(slot_of.data()), firsts.data());
  } else {
    Index* const first_of = firsts.data();
    parallel_for(ctx, count, [first_of] __device__(std::int64_t s) { first_of[s] = static_cast<Index>(s); });
  }
  return share;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template PatternMatrix<T, S> store(Context<S>&, const CsrMatrix<T, S>&, RowPatterns<S>&&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
