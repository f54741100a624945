#include <algorithm>
#include <utility>

#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spgemm/esc/esc.hpp"
#include "spgemm/esc/esc_fused.hpp"
#include "spgemm/esc/esc_on_chip_cuda.cuh"
#include "spgemm/esc/tuning.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {
namespace {

using namespace esc;

constexpr int capacity = fused_round;
constexpr int most_entries = capacity / 2;
constexpr int most_keys = capacity / warp_size;
constexpr int form_warps = esc::block_threads / warp_size;
constexpr int reorder_rows = warp_size;  // a lane looks up each
constexpr int reorder_lanes = default_block / reorder_rows;

struct Totals {
  unsigned long long entries;
  unsigned long long products;
  unsigned long long rows_too_long;
};

/// Rows of C at a fixed distance from each other.
template <class T>
struct SpacedRows {
  Index room;
  Index* col_indices;
  T* values;
  Index* counts;
};

/// What is left of a row of A.
struct Rest {
  Offset first;  ///< entry of A to go on with
  Offset end;
  Offset skip;  ///< products of the next warp_size entries that were formed before
};

/// Expands products behind the first n until the room is full or the row at its end; returns how many there are then.
template <class T>
__device__ int expand_rest(const CsrRef<T>& A, const CsrRef<T>& B, Rest& rest, int n, const RowProducts<T>& products) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  while (rest.first < rest.end) {
    const auto rows = static_cast<int>(min(rest.end - rest.first, static_cast<Offset>(warp_size)));
    const ScaledRow<T> scaled = load_scaled_row(A, B, rest.first + lane, rest.end);
    Offset total;
    // Where the row of B would begin; of its products, those from `from` to `to` are due and have room.
    const Offset slot = n - rest.skip + sum_before<warp_size>(Offset{scaled.length}, total);
    const Offset from = max(n - slot, Offset{0});
    const Offset to = min(Offset{scaled.length}, capacity - slot);
    const auto due = static_cast<int>(min(total - rest.skip, static_cast<Offset>(capacity - n)));
    write_products<warp_size>(B, scaled.begin + from, static_cast<int>(max(to - from, Offset{0})), scaled.scale,
                              static_cast<int>(slot + from), rows, lane, lanes_for(due, rows, warp_size), products);
    if (n + total - rest.skip > capacity) {
      rest.skip += capacity - n;
      return capacity;
    }
    n += due;
    rest = {rest.first + warp_size, rest.end, 0};
  }
  return n;
}

/// A warp a row.
template <class Key, class T>
__global__ void __launch_bounds__(esc::block_threads)
    fused_rows_kernel(Index rows, CsrRef<T> A, CsrRef<T> B, SpacedRows<T> target, Totals* totals) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ unsigned long long sums[2][form_warps];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const std::int64_t row = thread_index() / warp_size;
  int entries = 0;
  Offset formed = 0;
  if (row < rows) {
    const RowProducts<T> products = ProductRooms{form_warps, capacity}.room<T>(shared, warp);
    Index* const col_indices = target.col_indices + row * target.room;
    T* const values = target.values + row * target.room;
    Rest rest{A.row_offsets[row], A.row_offsets[row + 1], 0};
    while (rest.first < rest.end) {
      __syncwarp();  // the entries of the round before are written, its products read
      for (int e = lane; e < entries; e += warp_size) {
        products.cols[e] = static_cast<std::uint32_t>(col_indices[e]);
        products.values[e] = values[e];
      }
      const int n = expand_rest(A, B, rest, entries, products);
      formed += n - entries;
      entries =
          sort_and_contract_warp<fewest_fused_keys, most_keys, Key>(products, n, target.room, col_indices, values);
      if (entries > target.room) {
        if (lane == 0) {
          atomicAdd(&totals->rows_too_long, 1ULL);
        }
        break;
      }
    }
    if (lane == 0) {
      target.counts[row] = entries;
    }
  }
  if (lane == 0) {
    sums[0][warp] = static_cast<unsigned long long>(entries);
    sums[1][warp] = static_cast<unsigned long long>(formed);
  }
  __syncthreads();
  if (threadIdx.x < 2) {
    unsigned long long sum = 0;
    for (int w = 0; w < form_warps; ++w) {
      sum += sums[threadIdx.x][w];
    }
    atomicAdd(threadIdx.x == 0 ? &totals->entries : &totals->products, sum);
  }
}

/// A block for `reorder_rows` rows: sums the counts of all rows before, then copies its own.
template <class T>
__global__ void __launch_bounds__(default_block)
    reorder_kernel(Index rows, SpacedRows<T> from, Offset* row_offsets, Index* col_indices, T* values) {
  __shared__ Offset begins[reorder_rows];
  __shared__ int lengths[reorder_rows];
  const int thread = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(blockIdx.x) * reorder_rows;
  Offset before = 0;
  for (int row = thread; row < first_row; row += default_block) {
    before += from.counts[row];
  }
  before = sum_block<default_block>(before);
  if (thread < warp_size) {
    const int row = first_row + thread;
    const int length = row < rows ? from.counts[row] : 0;
    int total;
    const Offset begin = before + sum_before<warp_size>(length, total);
    begins[thread] = begin;
    lengths[thread] = length;
    if (row < rows) {
      row_offsets[row + 1] = begin + length;
    }
    if (row == 0) {
      row_offsets[0] = 0;
    }
  }
  __syncthreads();
  const int mine = thread / reorder_lanes;
  const Offset source = static_cast<Offset>(first_row + mine) * from.room;
  for (int k = thread % reorder_lanes; k < lengths[mine]; k += reorder_lanes) {
    col_indices[begins[mine] + k] = from.col_indices[source + k];
    values[begins[mine] + k] = from.values[source + k];
  }
}

}  // namespace

template <class T>
std::optional<SpgemmProduct<T, Cuda>> fuse_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                                const CsrMatrix<T, Cuda>& B, const RowMargins& margins) {
  if (A.rows > most_fused_rows) {
    return std::nullopt;
  }
  ScopedTimer timer(ctx, "fused");
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const Offset room = std::min({Offset{B.cols}, Offset{most_entries}, fused_room / std::max<Offset>(A.rows, 1)});
  const auto totals = scope.take<Totals>(1);
  const auto spaced = static_cast<std::size_t>(A.rows * room);
  const SpacedRows<T> rows{static_cast<Index>(room), scope.take<Index>(spaced).data(), scope.take<T>(spaced).data(),
                           scope.take<Index>(static_cast<std::size_t>(A.rows)).data()};
  set_zero(ctx, totals);
  Grid grid = Grid::of_lanes(A.rows, warp_size, esc::block_threads);
  grid.shared_bytes = ProductRooms{form_warps, capacity}.bytes<T>();
  launch(ctx,
         has_narrow_keys(B.cols, capacity) ? fused_rows_kernel<std::uint32_t, T> : fused_rows_kernel<std::uint64_t, T>,
         grid, A.rows, ref_of(A), ref_of(B), rows, totals.data());
  const Totals found = element(ctx, totals, 0);
  if (found.rows_too_long > 0) {
    return std::nullopt;
  }
  SpgemmProduct<T, Cuda> result{uncounted_matrix<T>(ctx, A.rows, B.cols), static_cast<Offset>(found.products)};
  CsrMatrix<T, Cuda>& C = result.C;
  allocate_entries(ctx, C, static_cast<Offset>(found.entries), margins);
  launch(ctx, reorder_kernel<T>, Grid{A.rows / reorder_rows + 1, default_block}, A.rows, rows, C.row_offsets.data(),
         C.col_indices.data(), C.values.data());
  return result;
}

template <class T>
SpgemmProduct<T, Cuda> multiply_esc_fused(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                          const SpgemmOptions& options) {
  auto product = fuse_rows(ctx, A, B, options.margins);
  return product ? std::move(*product) : multiply_esc(ctx, A, B, options);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                   \
  template std::optional<SpgemmProduct<T, S>> fuse_rows(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                                                        const RowMargins&);                                          \
  template SpgemmProduct<T, S> multiply_esc_fused(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,       \
                                                  const SpgemmOptions&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
