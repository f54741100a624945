#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/slice_search_cuda.cuh"
#include "spgemm/esc/esc_on_chip_cuda.cuh"
#include "spgemm/esc/esc_rows_cuda.hpp"

namespace amgsolve::esc {
namespace {

// Keys that a lane of a warp has at most; those of 64 bits take the registers of two.
template <class Key>
constexpr int most_keys = 4 * most_warp_products / warp_size / static_cast<int>(sizeof(Key));
static_assert(most_keys<std::uint64_t> * warp_size == most_wide_warp_products);

/// How a few lanes work on a row. The more keys a lane has, the less of the sorting needs an exchange between lanes.
template <int Lanes, int MostProducts>
struct Sharing {
  static constexpr int lanes = Lanes;
  static constexpr int keys = MostProducts / Lanes;
  // 5 more, modulo 32 banks of shared memory: neither the lanes of a warp that read products side by side nor those
  // that write numbers `keys` apart meet more than two others in a bank.
  static constexpr int capacity = MostProducts + 5;
  static constexpr int rows = block_threads / Lanes;
};

using FourLanes = Sharing<4, most_four_lane_products>;
using EightLanes = Sharing<8, most_eight_lane_products>;

/// A few lanes a row.
template <class Lanes, class Key, class T>
__global__ void __launch_bounds__(block_threads)
    form_rows_by_lanes_kernel(CsrRef<T> A, CsrRef<T> B, RowSelection selection, RowTarget<T> target) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr int lanes = Lanes::lanes;
  constexpr int keys = Lanes::keys;
  const RowProducts<T> products =
      ProductRooms{Lanes::rows, Lanes::capacity}.template room<T>(shared, static_cast<int>(threadIdx.x) / lanes);
  const int rank = static_cast<int>(threadIdx.x) % lanes;
  const std::int64_t i = thread_index() / lanes;
  const bool is_row = i < selection.count;
  Index row = 0;
  Offset begin = 0;
  Offset end = 0;
  Offset target_begin = 0;
  if (is_row) {
    row = selection.rows == nullptr ? static_cast<Index>(i) : selection.rows[i];
    begin = A.row_offsets[row];
    end = A.row_offsets[row + 1];
    target_begin = target.offsets[row];
  }
  int n = 0;
  ScaledRow<T> next = load_scaled_row(A, B, begin + rank, end);
  for (Offset first = begin; __any_sync(all_lanes, first < end); first += lanes) {
    const ScaledRow<T> scaled = next;
    next = load_scaled_row(A, B, first + lanes + rank, end);  // under way while these are worked on
    int total;
    const int slot = n + sum_before<lanes>(scaled.length, total);
    const auto rows = static_cast<int>(min(max(end - first, Offset{0}), Offset{lanes}));
    write_products<lanes>(B, scaled.begin, scaled.length, scaled.scale, slot, rows, rank, lanes_for(total, rows, lanes),
                          products);
    n += total;
  }
  Index* const col_indices = target.col_indices + target_begin;
  T* const values = target.values + target_begin;
  int entries;
  if (__all_sync(all_lanes, n <= lanes * keys / 4)) {
    entries = sort_and_contract<lanes, keys / 4, Key>(products, n, rank, n, col_indices, values);
  } else if (__all_sync(all_lanes, n <= lanes * keys / 2)) {
    entries = sort_and_contract<lanes, keys / 2, Key>(products, n, rank, n, col_indices, values);
  } else {
    entries = sort_and_contract<lanes, keys, Key>(products, n, rank, n, col_indices, values);
  }
  if (is_row && rank == 0) {
    target.counts[row] = entries;
  }
}

/// A warp a row.
template <class Key, class T>
__global__ void __launch_bounds__(block_threads)
    form_rows_by_warps_kernel(CsrRef<T> A, CsrRef<T> B, RowSelection selection, int capacity, RowTarget<T> target) {
  extern __shared__ __align__(16) unsigned char shared[];
  const std::int64_t i = thread_index() / warp_size;
  if (i >= selection.count) {
    return;
  }
  const ProductRooms rooms{block_threads / warp_size, capacity};
  const RowProducts<T> products = rooms.template room<T>(shared, static_cast<int>(threadIdx.x) / warp_size);
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const Index row = selection.rows == nullptr ? static_cast<Index>(i) : selection.rows[i];
  const Offset end = A.row_offsets[row + 1];
  const Offset target_begin = target.offsets[row];
  int n = 0;
  for (Offset first = A.row_offsets[row]; first < end; first += warp_size) {
    const auto rows = static_cast<int>(min(end - first, static_cast<Offset>(warp_size)));
    const ScaledRow<T> scaled = load_scaled_row(A, B, first + lane, end);
    int total;
    const int slot = n + sum_before<warp_size>(scaled.length, total);
    write_products<warp_size>(B, scaled.begin, scaled.length, scaled.scale, slot, rows, lane,
                              lanes_for(total, rows, warp_size), products);
    n += total;
  }
  const int entries = sort_and_contract_warp<fewest_warp_keys, most_keys<Key>, Key>(
      products, n, n, target.col_indices + target_begin, target.values + target_begin);
  if (lane == 0) {
    target.counts[row] = entries;
  }
}

/// One thread: a binary search.
__global__ void slice_end_kernel(Index rows, const Offset* offsets, Index begin, Offset limit, Index* end) {
  *end = find_slice_end(begin, rows, limit, [=](Index row) { return offsets[row]; });
}

/// A block moves the entries of default_block consecutive rows, whatever row they belong to: writes are coalesced, no
/// thread waits for a longer row, and each has several reads under way.
template <class T>
__global__ void __launch_bounds__(default_block) reorder_rows_kernel(Index rows, const Offset* from, CsrRef<T> left,
                                                                     const Offset* to, Index* col_indices, T* values) {
  __shared__ int sums[default_block / warp_size];
  __shared__ int begins[default_block];  // of the rows among the entries of the block
  __shared__ Offset sources[default_block];
  __shared__ Offset targets[default_block];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t row = thread_index();
  Offset source = 0;
  Offset target = 0;
  int length = 0;
  if (row < rows) {
    source = from[row];
    target = to[row];
    length = from[row + 1] == source ? 0 : static_cast<int>(to[row + 1] - target);  // else formed elsewhere
  }
  int total;
  const int begin = sum_before_in_block<default_block>(length, sums, total);
  begins[thread] = begin;
  sources[thread] = source - begin;
  targets[thread] = target - begin;
  __syncthreads();
#pragma unroll 4
  for (int k = thread; k < total; k += default_block) {
    int r = 0;  // the last row that begins at k or before
#pragma unroll
    for (int step = default_block / 2; step > 0; step /= 2) {
      r += begins[r + step] <= k ? step : 0;
    }
    col_indices[targets[r] + k] = left.col_indices[sources[r] + k];
    values[targets[r] + k] = left.values[sources[r] + k];
  }
}

template <class Lanes, class T>
void launch_by_lanes(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                     const RowSelection& selection, const RowTarget<T>& target) {
  Grid grid = Grid::of_lanes(selection.count, Lanes::lanes, block_threads);
  grid.shared_bytes = ProductRooms{Lanes::rows, Lanes::capacity}.bytes<T>();
  launch(ctx,
         has_narrow_keys(B.cols, Lanes::lanes * Lanes::keys) ? form_rows_by_lanes_kernel<Lanes, std::uint32_t, T>
                                                             : form_rows_by_lanes_kernel<Lanes, std::uint64_t, T>,
         grid, ref_of(A), ref_of(B), selection, target);
}

}  // namespace

template <class T>
void form_rows_by_four_lanes(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                             const RowSelection& selection, const RowTarget<T>& target) {
  launch_by_lanes<FourLanes>(ctx, A, B, selection, target);
}

template <class T>
void form_rows_by_eight_lanes(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                              const RowSelection& selection, const RowTarget<T>& target) {
  launch_by_lanes<EightLanes>(ctx, A, B, selection, target);
}

template <class T>
void form_rows_by_warps(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                        const RowSelection& selection, int most_products, const RowTarget<T>& target) {
  Grid grid = Grid::of_lanes(selection.count, warp_size, block_threads);
  grid.shared_bytes = ProductRooms{block_threads / warp_size, most_products}.bytes<T>();
  launch(ctx,
         has_narrow_keys(B.cols, most_warp_products) ? form_rows_by_warps_kernel<std::uint32_t, T>
                                                     : form_rows_by_warps_kernel<std::uint64_t, T>,
         grid, ref_of(A), ref_of(B), selection, most_products, target);
}

int most_warp_products_of(Index cols) {
  return has_narrow_keys(cols, most_warp_products) ? most_warp_products : most_wide_warp_products;
}

void clear_sizes(Context<Cuda>& ctx, Span<const Index, Cuda> rows, Span<Offset, Cuda> sizes) {
  parallel_for(ctx, static_cast<std::int64_t>(rows.size()),
               [rows = rows.data(), sizes = sizes.data()] __device__(std::int64_t i) { sizes[rows[i]] = 0; });
}

Index slice_end(Context<Cuda>& ctx, Span<const Offset, Cuda> offsets, Index begin, Offset limit) {
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto end = scope.take<Index>(1);
  launch(ctx, slice_end_kernel, Grid{1, 1}, static_cast<Index>(offsets.size() - 1), offsets.data(), begin, limit,
         end.data());
  return element(ctx, end, 0);
}

template <class T>
void reorder_rows(Context<Cuda>& ctx, Span<const Offset, Cuda> from, Span<const Index, Cuda> col_indices,
                  Span<const T, Cuda> values, CsrMatrix<T, Cuda>& C) {
  launch(ctx, reorder_rows_kernel<T>, Grid::of_threads(C.rows), C.rows, from.data(),
         CsrRef<T>{nullptr, col_indices.data(), values.data()}, C.row_offsets.data(), C.col_indices.data(),
         C.values.data());
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                   \
  template void form_rows_by_four_lanes(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,                 \
                                        const RowSelection&, const RowTarget<T>&);                                   \
  template void form_rows_by_eight_lanes(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,                \
                                         const RowSelection&, const RowTarget<T>&);                                  \
  template void form_rows_by_warps(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, const RowSelection&, \
                                   int, const RowTarget<T>&);                                                        \
  template void reorder_rows(Context<S>&, Span<const Offset, S>, Span<const Index, S>, Span<const T, S>,             \
                             CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve::esc
