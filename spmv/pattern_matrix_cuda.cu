#include <algorithm>

#include "core/hash.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_cuda.cuh"
#include "spmv/pattern_matrix_rows.hpp"

namespace amgsolve {
namespace {

__device__ std::uint64_t bits_of(float x) { return __float_as_uint(x); }
__device__ std::uint64_t bits_of(double x) { return static_cast<std::uint64_t>(__double_as_longlong(x)); }

/// Slices of rows as a warp looks at them, a row a lane.
template <class T>
struct SlicesOfRows {
  CsrRef<T> a;
  const std::uint8_t* patterns;

  /// The same for equal slices, seldom for others.
  __device__ std::uint64_t key(std::int64_t slice) const {
    const std::int64_t row = slice * slice_rows + lane_of_warp();
    auto sum = static_cast<std::uint64_t>(lane_of_warp());
    if (row < a.rows) {
      sum = (sum << 9) + patterns[row] + 1;
      for (Offset k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) {
        sum = sum * golden_factor + bits_of(a.values[k]);
      }
    }
    std::uint64_t joined = hash64(sum);
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      joined ^= __shfl_xor_sync(all_lanes, joined, distance);
    }
    return joined;
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

/// Of each `step`-th slice.
template <class T>
__global__ void find_keys_kernel(SlicesOfRows<T> slices, std::int64_t count, std::int64_t step, std::uint64_t* keys) {
  const std::int64_t slice = thread_index() / warp_size * step;
  if (slice >= count) {
    return;
  }
  const std::uint64_t key = slices.key(slice);
  if (lane_of_warp() == 0) {
    keys[slice] = key;
  }
}

/// From the slots of slices: first_s = the lowest slice in that of s, where s equals it.
template <class T>
__global__ void compare_slices_kernel(SlicesOfRows<T> slices, std::int64_t count, const Index* first_in_slot,
                                      Index* first_of) {
  const std::int64_t slice = thread_index() / warp_size;
  if (slice >= count) {
    return;
  }
  const Index first = first_in_slot[first_of[slice]];
  const bool alike = slices.are_alike(slice, first);
  if (lane_of_warp() == 0) {
    first_of[slice] = alike ? first : static_cast<Index>(slice);
  }
}

/// Of a matrix whose slices differ, so many tell.
constexpr std::int64_t sampled_slices = 1 << 12;

}  // namespace

/// By a table of keys, each of which a warp makes.
template <class T>
bool detail::find_first_alike(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const RowPatterns<Cuda>& patterns,
                              Span<Index, Cuda> firsts) {
  const auto count = static_cast<std::int64_t>(firsts.size());
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto keys = scope.take<std::uint64_t>(firsts.size());
  const AlikeTable<KeysOfSlices> table = empty_table<Cuda>(ctx, scope, keys);
  const SlicesOfRows<T> slices{ref_of(A), patterns.of_row.data()};
  Index* const first_of = firsts.data();
  /// How many keys there are when every step-th slice has entered.
  const auto enter = [&](std::int64_t step) {
    const std::int64_t entering = (count + step - 1) / step;
    launch(ctx, find_keys_kernel<T>, Grid::of_lanes(entering, warp_size), slices, count, step, keys.data());
    parallel_for(ctx, entering, [table, first_of, step] __device__(std::int64_t i) {
      if (!table.is_seen_full()) {
        first_of[i * step] = table.enter(static_cast<Index>(i * step));
      }
    });
    return std::int64_t{element(ctx, Span<const Index, Cuda>(table.count, 1), 0)};
  };
  const std::int64_t step = std::max<std::int64_t>(count / sampled_slices, 1);
  const bool share = enter(step) <= count / step / 2 && (step == 1 || enter(1) <= table.most);
  if (share) {
    launch(ctx, compare_slices_kernel<T>, Grid::of_lanes(count, warp_size), slices, count,
           static_cast<const Index*>(table.firsts), first_of);
  } else {
    parallel_for(ctx, count, [first_of] __device__(std::int64_t s) { first_of[s] = static_cast<Index>(s); });
  }
  return share;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template PatternMatrix<T, S> store(Context<S>&, const CsrMatrix<T, S>&, RowPatterns<S>&&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
